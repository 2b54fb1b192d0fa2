"""Tests that the page of the C++ API matches the headers and is complete."""

import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).absolute().parents[2]
sys.path.insert(0, str(_ROOT / "tools/reference"))

import cpp_reference
from cpp_headers import read_cpp_header
from source_code import Declaration

_HEADER = """// Adds numbers.
//
// Second paragraph.
#ifndef EXECUTORCH_ADD_HPP_
#define EXECUTORCH_ADD_HPP_

#include <cstddef>

namespace executorch {

// How many.
inline constexpr std::size_t kCount = 3;

namespace detail {

struct Hidden {};

}  // namespace detail

// A sum (of `T`).
template <class T>
class Sum {
 public:
  explicit Sum(T &&first) noexcept
      : first_(std::exchange(first, {})) {}

  // Returns the sum; ( is text.
  T get(char end = ']', const T &other = {}) const noexcept { return first_ + other; }

  template <class Container, detail::IfContiguous<Container> = 0>
  T of(const Container &all) {
    if (all.empty()) {
      return ")";
    }
    return first_;
  }

 private:
  T first_;
};

template <>
class [[nodiscard]] Sum<void> {};

// Adds.
inline int add(int a,
               int b) noexcept {
  return a + b;
}

}  // namespace executorch

#endif  // EXECUTORCH_ADD_HPP_
"""
_SUM = """template <class T>
class Sum {
 public:
  explicit Sum(T &&first) noexcept;

  // Returns the sum; ( is text.
  T get(char end = ']', const T &other = {}) const noexcept;

  template <class Container>
  T of(const Container &all);
};"""


@pytest.fixture
def declarations(tmp_path: Path) -> tuple[Declaration, ...]:
    (tmp_path / "add.hpp").write_text(_HEADER)
    return read_cpp_header(tmp_path / "add.hpp", "executorch/add.hpp").declarations


def test_cpp_reference_is_up_to_date() -> None:
    text = (_ROOT / cpp_reference.PAGE).read_text(encoding="utf-8")
    assert text == cpp_reference.page(_ROOT), "run python3 tools/reference/cpp_reference.py"


def test_every_cpp_name_is_in_the_cpp_reference() -> None:
    text = cpp_reference.page(_ROOT)
    headers = cpp_reference.public_headers(_ROOT)
    assert {"executorch/executorch.hpp", "executorch/program.hpp"} <= headers
    assert [header for header in sorted(headers) if f"`{header}`" not in text] == []
    for header in headers:
        for declaration in cpp_reference.read_header(_ROOT, header).declarations:
            name = declaration.names[0]
            assert (f"#### `{name}`\n" in text) != (f"| `{name}` |" in text), name


def test_every_cpp_declaration_has_a_comment() -> None:
    for header in cpp_reference.public_headers(_ROOT):
        for declaration in cpp_reference.read_header(_ROOT, header).declarations:
            assert declaration.comment, declaration.names


def test_internal_cpp_names_exist() -> None:
    declared = {
        declaration.names[0]
        for header in cpp_reference.public_headers(_ROOT)
        for declaration in cpp_reference.read_header(_ROOT, header).declarations
    }
    assert set(cpp_reference._INTERNAL) <= declared


def test_cpp_declarations_are_found_with_comments(declarations: tuple[Declaration, ...]) -> None:
    assert [(declaration.names, declaration.comment) for declaration in declarations] == [
        (("kCount",), "How many."),
        (("Sum",), "A sum (of `T`)."),
        (("Sum<void>",), ""),
        (("add",), "Adds."),
    ]


def test_private_members_and_bodies_of_cpp_classes_are_omitted(declarations: tuple[Declaration, ...]) -> None:
    assert declarations[1].code == _SUM
    assert declarations[3].code == "inline int add(int a,\n               int b) noexcept;"
