//! Files that appear under their final name only when they are complete.
//!
//! They are written beside the target as `name.<process>.part` and renamed at the end. This protects against a
//! crash of the process, not against power failure. On platforms without files, such as browsers, the data stay
//! in memory.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::ExportError;

/// A file in progress; dropped before [`TempFile::commit`], it leaves nothing behind.
pub(crate) struct TempFile {
    target: PathBuf,
    /// Path of the temporary file; `None` in memory.
    temp_path: Option<PathBuf>,
    writer: Option<Sink>,
}

/// Destination of the bytes.
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

impl TempFile {
    /// Creates a temporary file; `tag` distinguishes several temporary files of one target.
    pub(crate) fn create(target: &Path, tag: &str) -> Result<Self, ExportError> {
        let mut name = target.file_name().map_or_else(OsString::new, OsString::from);
        name.push(format!(".{}{tag}.part", std::process::id()));
        let part = target.with_file_name(name);
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&part);
        let file = file.map_err(ExportError::io(target))?;
        let writer = Some(Sink::Disk(BufWriter::with_capacity(1 << 18, file)));
        Ok(Self { target: target.to_owned(), temp_path: Some(part), writer })
    }

    /// Creates a file in memory; its name is for messages.
    pub(crate) fn in_memory(target: &Path) -> Self {
        let writer = Some(Sink::Memory(Cursor::default()));
        Self { target: target.to_owned(), temp_path: None, writer }
    }

    /// Bytes of a file in memory; empty for a file on disk.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        match self.writer.take() {
            Some(Sink::Memory(cursor)) => cursor.into_inner(),
            _ => Vec::new(),
        }
    }

    /// Final path.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Writes bytes.
    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.write_all(bytes).map_err(ExportError::io(&self.target))
    }

    /// Overwrites bytes at an offset from the start.
    pub(crate) fn patch(&mut self, place: u64, bytes: &[u8]) -> Result<(), ExportError> {
        let done = self.writer.as_mut().map_or(Ok(()), |w| w.patch(place, bytes));
        done.map_err(ExportError::io(&self.target))
    }

    /// Appends the content of another temporary file, which is then removed.
    pub(crate) fn append(&mut self, mut other: Self) -> Result<(), ExportError> {
        let writer = match other.writer.take() {
            None => return Ok(()),
            Some(Sink::Memory(cursor)) => return self.write_bytes(cursor.get_ref()),
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

    /// Renames the file to its final name.
    pub(crate) fn commit(mut self) -> Result<PathBuf, ExportError> {
        if let Some(mut writer) = self.writer.take() {
            writer.flush().map_err(ExportError::io(&self.target))?;
        }
        if let Some(part) = &self.temp_path {
            fs::rename(part, &self.target).map_err(ExportError::io(&self.target))?;
        }
        Ok(self.target.clone())
    }
}

impl Write for TempFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().map_or(Ok(bytes.len()), |w| w.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // After a commit no file with this name exists.
        if let Some(part) = &self.temp_path {
            let _ = fs::remove_file(part);
        }
    }
}
