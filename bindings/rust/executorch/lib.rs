//! The runtime of compiled PyTorch models, for crates that `executorch_rust_library` generates.
//!
//! A generated crate has a type for the model and a function for each of its methods. This crate
//! has the types in the functions' signatures, such as [`Error`], [`Tensor`] and
//! [`Shaped`].
//!
//! Without the feature `std`, the crate needs only `alloc`. It then has no threads or observers,
//! and does not read files.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(missing_docs, unsafe_code, unsafe_op_in_unsafe_fn)]

extern crate alloc;

mod data;
mod element;
mod error;
#[cfg(feature = "std")]
#[allow(unsafe_code)]
mod hosted;
#[allow(unsafe_code)]
mod native;
mod options;
#[doc(hidden)]
#[allow(unsafe_code)]
pub mod sys;
mod tensor;

pub use data::{Aligned, Data};
pub use element::{BFloat16, Complex, Element, Float16};
pub use error::{Error, Result, Status};
#[cfg(feature = "std")]
pub use hosted::{Event, EventKind, Observer};
pub use options::{OptionValue, Options};
pub use tensor::{Shaped, Tensor};

/// The items that generated crates use, which can change at any time.
#[doc(hidden)]
pub mod generated {
    pub use crate::native::{Call, Files, MethodSpec, Methods, Outputs, Registry, DYNAMIC};
}
