"""Tests that the page of the Rust API matches the crate and is complete."""

import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).absolute().parents[2]
sys.path.insert(0, str(_ROOT / "tools/reference"))

import rust_reference
from rust_source import crate_comment, exports, read_module
from source_code import Declaration

_LIB = """//! Adds numbers.
//!
//! See [`Sum`].
mod sum;

#[cfg(feature = "std")]
pub use sum::Kind;
pub use sum::{Add, Pair, Sum};

#[doc(hidden)]
pub mod generated {
    pub use crate::sum::Hidden;
}
"""
_SOURCE = """//! Sums.

use core::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $code:literal;)*) => {
        /// The kind of a sum.
        pub enum Kind {
            $($(#[$doc])* $variant,)*
        }

        impl Kind {
            pub(crate) fn code(self) -> u32 {
                match self {
                    $(Kind::$variant => $code,)*
                }
            }
        }
    };
}

kinds! {
    /// No numbers.
    Empty = 0;
    /// Some numbers.
    Some = 1;
}

/// A sum.
///
/// It has a count.
#[derive(Clone)]
pub struct Sum<'a> {
    /// How many.
    pub count: usize,
    pub(crate) first: &'a [u32],
    second: u32,
}

impl<'a> Sum<'a> {
    /// Returns the sum.
    #[inline]
    pub fn get(&self, sizes: [usize; 2]) -> [u32; 2] {
        [self.first[0] + ']' as u32, 1]
    }

    fn hidden(&self) {}
}

/// Panics.
impl fmt::Debug for Sum<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!()
    }
}

/// Two numbers.
pub struct Pair(u32, u32);

#[cfg(feature = "std")]
mod file {
    pub(super) struct Contents;

    impl Pair {
        /// Reads a pair.
        pub fn read() -> Pair {
            Pair(1, 2)
        }
    }
}

/// Adds.
pub trait Add {
    /// Hidden.
    #[doc(hidden)]
    const CODE: u8;
    /// Adds to the number.
    fn add(&self);
}

impl private::Sealed for Pair {}

/// Not exported.
pub struct Hidden;
"""


@pytest.fixture
def items(tmp_path: Path) -> dict[str, Declaration]:
    (tmp_path / "lib.rs").write_text(_LIB)
    (tmp_path / "sum.rs").write_text(_SOURCE)
    return {item.names[0]: item for item in read_module(tmp_path, "sum")}


def test_rust_reference_is_up_to_date() -> None:
    text = (_ROOT / rust_reference.PAGE).read_text(encoding="utf-8")
    assert text == rust_reference.page(_ROOT), "run python3 tools/reference/rust_reference.py"


def test_every_exported_item_is_in_the_rust_reference() -> None:
    text = rust_reference.page(_ROOT)
    names = {name for module in exports(_ROOT / rust_reference.FOLDER).values() for name in module}
    assert {"Data", "Error", "Observer", "Tensor"} <= names
    assert [name for name in sorted(names) if text.count(f"### `{name}`\n") != 1] == []


def test_exported_items_are_found_with_comments(items: dict[str, Declaration], tmp_path: Path) -> None:
    assert {name: item.comment for name, item in items.items()} == {
        "Kind": "The kind of a sum.",
        "Sum": "A sum.\n\nIt has a count.",
        "Pair": "Two numbers.",
        "Add": "Adds.",
    }
    assert crate_comment(tmp_path) == "Adds numbers.\n\nSee [`Sum`]."


def test_private_fields_and_functions_of_structs_are_omitted(items: dict[str, Declaration]) -> None:
    assert items["Sum"].code == (
        "#[derive(Clone)]\npub struct Sum<'a> {\n    /// How many.\n    pub count: usize,\n    /* private fields */\n}\n\n"
        "impl<'a> Sum<'a> {\n    /// Returns the sum.\n    pub fn get(&self, sizes: [usize; 2]) -> [u32; 2];\n}\n\n"
        "/// Panics.\nimpl fmt::Debug for Sum<'_> { … }"
    )


def test_items_of_conditional_modules_have_the_condition(items: dict[str, Declaration]) -> None:
    assert items["Pair"].code == (
        "pub struct Pair(/* private fields */);\n\n"
        '#[cfg(feature = "std")]\nimpl Pair {\n    /// Reads a pair.\n    pub fn read() -> Pair;\n}'
    )


def test_variants_of_macros_are_expanded(items: dict[str, Declaration]) -> None:
    assert items["Kind"].code == (
        '#[cfg(feature = "std")]\npub enum Kind {\n    /// No numbers.\n    Empty,\n    /// Some numbers.\n    Some,\n}'
    )


def test_hidden_members_of_traits_are_omitted(items: dict[str, Declaration]) -> None:
    assert items["Add"].code == "pub trait Add {\n    /// Adds to the number.\n    fn add(&self);\n}"
