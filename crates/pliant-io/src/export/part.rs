//! Files that appear under their name only when they are whole.
//!
//! They are written beside their place as `name.<process>.part` and renamed at the end. Against a
//! process that dies this suffices; against a power cut no promise is made.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::ExportError;

/// A file in the making; dropped before [`PartFile::commit`], it leaves nothing.
pub(crate) struct PartFile {
    target: PathBuf,
    part: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl PartFile {
    /// Begins a file; `tag` tells several parts of one target apart.
    pub(crate) fn create(target: &Path, tag: &str) -> Result<Self, ExportError> {
        let mut name = target.file_name().map_or_else(OsString::new, OsString::from);
        name.push(format!(".{}{tag}.part", std::process::id()));
        let part = target.with_file_name(name);
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&part);
        let file = file.map_err(ExportError::io(target))?;
        let writer = Some(BufWriter::with_capacity(1 << 18, file));
        Ok(Self { target: target.to_owned(), part, writer })
    }

    /// The final name.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Writes bytes.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.write_all(bytes).map_err(ExportError::io(&self.target))
    }

    /// Overwrites bytes at a place from the start.
    pub(crate) fn patch(&mut self, place: u64, bytes: &[u8]) -> Result<(), ExportError> {
        let write = |writer: &mut BufWriter<File>| {
            writer.seek(io::SeekFrom::Start(place))?;
            writer.write_all(bytes)?;
            writer.seek(io::SeekFrom::End(0))
        };
        let done = self.writer.as_mut().map_or(Ok(0), write);
        done.map(|_| ()).map_err(ExportError::io(&self.target))
    }

    /// Appends all that another part holds; that part is gone afterwards.
    pub(crate) fn append(&mut self, mut other: Self) -> Result<(), ExportError> {
        let fail = ExportError::io(&self.target);
        let Some(writer) = other.writer.take() else { return Ok(()) };
        let copy = || {
            let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            let mut reader = BufReader::with_capacity(1 << 18, file);
            let mut block = vec![0; 1 << 18];
            loop {
                let n = reader.read(&mut block)?;
                if n == 0 {
                    return Ok(());
                }
                self.writer.as_mut().map_or(Ok(()), |w| w.write_all(&block[..n]))?;
            }
        };
        copy().map_err(fail)
    }

    /// Gives the file its final name.
    pub(crate) fn commit(mut self) -> Result<PathBuf, ExportError> {
        if let Some(mut writer) = self.writer.take() {
            writer.flush().map_err(ExportError::io(&self.target))?;
        }
        fs::rename(&self.part, &self.target).map_err(ExportError::io(&self.target))?;
        Ok(self.target.clone())
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().map_or(Ok(bytes.len()), |w| w.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        // After a commit there is nothing under this name.
        let _ = fs::remove_file(&self.part);
    }
}
