//! Files that appear under their name only when they are whole.
//!
//! They are written beside their place as `name.<process>.part` and renamed at the end. Against a
//! process that dies this suffices; against a power cut no promise is made. Where there are no files, as
//! in a browser, they are kept in memory.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::ExportError;

/// A file in the making; dropped before [`PartFile::commit`], it leaves nothing.
pub(crate) struct PartFile {
    target: PathBuf,
    /// Where it is written; in memory there is no such place.
    part: Option<PathBuf>,
    writer: Option<Sink>,
}

/// What takes the bytes.
enum Sink {
    Disk(BufWriter<File>),
    Memory(Cursor<Vec<u8>>),
}

impl Sink {
    fn patch(&mut self, place: u64, bytes: &[u8]) -> io::Result<()> {
        fn write(to: &mut (impl Write + Seek), place: u64, bytes: &[u8]) -> io::Result<()> {
            to.seek(io::SeekFrom::Start(place))?;
            to.write_all(bytes)?;
            to.seek(io::SeekFrom::End(0)).map(|_| ())
        }
        match self {
            Self::Disk(writer) => write(writer, place, bytes),
            Self::Memory(writer) => write(writer, place, bytes),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Disk(writer) => writer.write(bytes),
            Self::Memory(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Disk(writer) => writer.flush(),
            Self::Memory(writer) => writer.flush(),
        }
    }
}

impl PartFile {
    /// Begins a file; `tag` tells several parts of one target apart.
    pub(crate) fn create(target: &Path, tag: &str) -> Result<Self, ExportError> {
        let mut name = target.file_name().map_or_else(OsString::new, OsString::from);
        name.push(format!(".{}{tag}.part", std::process::id()));
        let part = target.with_file_name(name);
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&part);
        let file = file.map_err(ExportError::io(target))?;
        let writer = Some(Sink::Disk(BufWriter::with_capacity(1 << 18, file)));
        Ok(Self { target: target.to_owned(), part: Some(part), writer })
    }

    /// Begins a file that stays in memory; its name is for messages.
    pub(crate) fn in_memory(target: &Path) -> Self {
        let writer = Some(Sink::Memory(Cursor::default()));
        Self { target: target.to_owned(), part: None, writer }
    }

    /// The bytes of a file in memory; none of others.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        match self.writer.take() {
            Some(Sink::Memory(cursor)) => cursor.into_inner(),
            _ => Vec::new(),
        }
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
        let done = self.writer.as_mut().map_or(Ok(()), |w| w.patch(place, bytes));
        done.map_err(ExportError::io(&self.target))
    }

    /// Appends all that another part holds; that part is gone afterwards.
    pub(crate) fn append(&mut self, mut other: Self) -> Result<(), ExportError> {
        let writer = match other.writer.take() {
            None => return Ok(()),
            Some(Sink::Memory(cursor)) => return self.put(cursor.get_ref()),
            Some(Sink::Disk(writer)) => writer,
        };
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
        copy().map_err(ExportError::io(&self.target))
    }

    /// Gives the file its final name.
    pub(crate) fn commit(mut self) -> Result<PathBuf, ExportError> {
        if let Some(mut writer) = self.writer.take() {
            writer.flush().map_err(ExportError::io(&self.target))?;
        }
        if let Some(part) = &self.part {
            fs::rename(part, &self.target).map_err(ExportError::io(&self.target))?;
        }
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
        if let Some(part) = &self.part {
            let _ = fs::remove_file(part);
        }
    }
}
