//! Errors of loading and running a model.

use core::fmt;

/// The result of a call that can fail.
pub type Result<T> = core::result::Result<T, Error>;

macro_rules! statuses {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $name:literal;)*) => {
        /// The kind of an error. The C runtime's type is `et_status`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Status {
            $($(#[$doc])* $variant,)*
        }

        impl Status {
            pub(crate) fn from_code(code: u32) -> Status {
                match code {
                    $($code => Status::$variant,)*
                    _ => Status::Internal,
                }
            }

            /// Returns the name in the C API, such as `INVALID_ARGUMENT`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Status::$variant => $name,)*
                }
            }
        }
    };
}

statuses! {
    /// An internal error of the runtime.
    Internal = 0x01, "INTERNAL";
    /// A call was in the wrong order.
    InvalidState = 0x02, "INVALID_STATE";
    /// A value is valid, but is not supported by the runtime or is outside the model's range.
    NotSupported = 0x10, "NOT_SUPPORTED";
    /// A backend does not implement the call.
    NotImplemented = 0x11, "NOT_IMPLEMENTED";
    /// An argument is invalid.
    InvalidArgument = 0x12, "INVALID_ARGUMENT";
    /// A value has the wrong kind or dtype.
    InvalidType = 0x13, "INVALID_TYPE";
    /// The program needs a kernel that is not linked.
    OperatorMissing = 0x14, "OPERATOR_MISSING";
    /// No element has the name or key.
    NotFound = 0x20, "NOT_FOUND";
    /// The memory is too small.
    MemoryTooSmall = 0x21, "MEMORY_TOO_SMALL";
    /// Reading a file failed.
    AccessFailed = 0x22, "ACCESS_FAILED";
    /// The program is malformed.
    InvalidProgram = 0x23, "INVALID_PROGRAM";
    /// The weights file does not match the program.
    InvalidExternalData = 0x24, "INVALID_EXTERNAL_DATA";
    /// A limit of the runtime was exceeded.
    OutOfResources = 0x25, "OUT_OF_RESOURCES";
    /// A backend rejects its part of the program.
    DelegateIncompatible = 0x30, "DELEGATE_INCOMPATIBLE";
    /// A delegate needs more memory.
    DelegateMemory = 0x31, "DELEGATE_MEMORY";
    /// A delegate's handle is not valid.
    DelegateInvalidHandle = 0x32, "DELEGATE_INVALID_HANDLE";
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The status and message of a failed call.
///
/// The message names the invalid element, such as `image: 100 elements; pass 150528`.
#[derive(Clone)]
pub struct Error {
    status: Status,
    message: Message,
}

impl Error {
    /// Returns an error with a formatted message.
    #[cold]
    pub fn new(status: Status, message: fmt::Arguments<'_>) -> Error {
        Error {
            status,
            message: Message::format(message),
        }
    }

    /// Returns the kind of the error.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns the message. Without the feature `std`, it is truncated to 240 bytes.
    pub fn message(&self) -> &str {
        self.message.as_str()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.status, self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Error")
            .field("status", &self.status)
            .field("message", &self.message())
            .finish()
    }
}

#[cfg(feature = "std")]
impl std::error::Error for Error {}

/// A message on the heap.
#[cfg(feature = "std")]
#[derive(Clone)]
struct Message(Box<str>);

#[cfg(feature = "std")]
impl Message {
    fn format(message: fmt::Arguments<'_>) -> Message {
        Message(message.to_string().into_boxed_str())
    }

    fn as_str(&self) -> &str {
        &self.0
    }
}

/// A message without a heap. Longer messages are truncated.
#[cfg(not(feature = "std"))]
#[derive(Clone)]
struct Message {
    bytes: [u8; Message::CAPACITY],
    size: usize,
}

#[cfg(not(feature = "std"))]
impl Message {
    const CAPACITY: usize = 240;

    fn format(message: fmt::Arguments<'_>) -> Message {
        let mut text = Message {
            bytes: [0; Message::CAPACITY],
            size: 0,
        };
        // An error means that the message was truncated.
        let _ = fmt::write(&mut text, message);
        text
    }

    fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.size]).unwrap_or("")
    }
}

#[cfg(not(feature = "std"))]
impl fmt::Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = Message::CAPACITY - self.size;
        let mut count = text.len().min(room);
        while !text.is_char_boundary(count) {
            count -= 1;
        }
        self.bytes[self.size..self.size + count].copy_from_slice(&text.as_bytes()[..count]);
        self.size += count;
        if count == text.len() {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}
