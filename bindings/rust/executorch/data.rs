//! The bytes of programs and weights files.

use core::fmt;

use crate::error::Error;

/// The bytes of a program or of a weights file, which do not change or move.
///
/// If the address of the bytes is not a multiple of 16, a model rejects them; see [`Aligned`].
#[derive(Clone)]
pub struct Data(Bytes);

#[derive(Clone)]
enum Bytes {
    Static(&'static [u8]),
    #[cfg(feature = "std")]
    Shared(std::sync::Arc<file::Contents>),
}

impl Data {
    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Static(bytes) => bytes,
            #[cfg(feature = "std")]
            Bytes::Shared(contents) => contents.bytes(),
        }
    }

    /// Adds the path of the file to an error about its contents. `start` is the place at the start
    /// of the message that the path replaces. Bytes that are not from a file have no path.
    pub(crate) fn locate(&self, error: Error, start: &str) -> Error {
        match &self.0 {
            Bytes::Static(_) => {
                let _ = start;
                error
            }
            #[cfg(feature = "std")]
            Bytes::Shared(contents) => {
                let message = error.message();
                let rest = message.strip_prefix(start).unwrap_or(message);
                Error::new(error.status(), format_args!("{}: {}", contents.path.display(), rest))
            }
        }
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Data({} bytes)", self.bytes().len())
    }
}

impl From<&'static [u8]> for Data {
    fn from(bytes: &'static [u8]) -> Data {
        Data(Bytes::Static(bytes))
    }
}

impl<const SIZE: usize> From<&'static Aligned<[u8; SIZE]>> for Data {
    fn from(bytes: &'static Aligned<[u8; SIZE]>) -> Data {
        Data(Bytes::Static(&bytes.0))
    }
}

/// Bytes at an address that is a multiple of 64, such as those of a file in the executable:
///
/// ```ignore
/// static NET: Aligned<[u8; include_bytes!("net.pte").len()]> =
///     Aligned(*include_bytes!("net.pte"));
/// ```
#[repr(C, align(64))]
pub struct Aligned<T>(pub T);

#[cfg(feature = "std")]
mod file {
    use std::fs::File;
    use std::io::Read;
    use std::mem::size_of;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use super::{Aligned, Bytes, Data};
    use crate::error::{Error, Result, Status};
    use crate::native::Block;

    /// Every .pte and .ptd file has at least an offset and an identifier.
    const MIN_BYTES: usize = 8;

    /// The contents of a file, in aligned memory.
    pub(super) struct Contents {
        pub(super) path: PathBuf,
        blocks: Vec<Block>,
        size: usize,
    }

    impl Contents {
        pub(super) fn bytes(&self) -> &[u8] {
            &crate::native::bytes_of(&self.blocks)[..self.size]
        }
    }

    impl Data {
        /// Reads a file into aligned memory, which clones share.
        pub fn read(path: impl AsRef<Path>) -> Result<Data> {
            let path = path.as_ref();
            read_contents(path)
                .map(|contents| Data(Bytes::Shared(Arc::new(contents))))
                .map_err(|error| {
                    Error::new(
                        Status::AccessFailed,
                        format_args!(
                            "{}: {}; pass the path of a .pte or .ptd file",
                            path.display(),
                            error
                        ),
                    )
                })
        }
    }

    fn read_contents(path: &Path) -> std::io::Result<Contents> {
        let mut file = File::open(path)?;
        let size = usize::try_from(file.metadata()?.len())
            .map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
        let mut blocks = Vec::new();
        blocks
            .try_reserve_exact(size / size_of::<Block>() + 1)
            .map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
        blocks.resize_with(size / size_of::<Block>() + 1, || Aligned([0; size_of::<Block>()]));
        file.read_exact(&mut crate::native::bytes_of_mut(&mut blocks)[..size])?;
        if size < MIN_BYTES {
            let reason = format!("a file of {} bytes is too short", size);
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
        }
        Ok(Contents {
            path: path.to_path_buf(),
            blocks,
            size,
        })
    }
}
