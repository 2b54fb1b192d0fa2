"""Tests that the pages of the C API match the headers and are complete."""

import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).absolute().parents[2]
sys.path.insert(0, str(_ROOT / "tools/reference"))

import c_reference
import status_reference
from c_headers import read_header
from source_code import Declaration

_HEADER = """/* Adds numbers.
 *
 *   int one = et_one(1); */
#ifndef EXECUTORCH_ADD_H_
#define EXECUTORCH_ADD_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many. */
#define ET_COUNT 3

/* A pair:

 * two numbers.

 * Both are integers. */
typedef struct et_pair {
  int first;

  int second; /* of [0] */
} et_pair;

typedef enum et_kind { ET_A, ET_B } et_kind;

/* A function of the caller's. */
typedef int (*et_function)(int);

struct et_hidden;
extern const struct et_hidden et_value;

/* Adds. INVALID_ARGUMENT for *x. */
int et_add(int x,
           int y);
const char *et_name(void);

static inline int et_one(int x) {
  if (x) {
    return 1;
  }

  return x;
}

/* A step of a macro. */
#define ET_STEP_ 1

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_ADD_H_ */
"""


@pytest.fixture
def declarations(tmp_path: Path) -> tuple[Declaration, ...]:
    (tmp_path / "add.h").write_text(_HEADER)
    return read_header(tmp_path / "add.h", "executorch/add.h").declarations


def test_c_reference_is_up_to_date() -> None:
    for module in (c_reference, status_reference):
        text = (_ROOT / module.PAGE).read_text(encoding="utf-8")
        assert text == module.page(_ROOT), f"run python3 tools/reference/{module.__name__}.py"


def test_every_public_header_is_in_the_c_reference() -> None:
    text = c_reference.page(_ROOT)
    headers = c_reference.public_headers(_ROOT)
    assert {"executorch/method.h", "executorch/text/sampler.h"} <= headers
    assert [header for header in sorted(headers) if f"### `{header}`\n" not in text] == []


def test_main_functions_are_in_the_c_reference() -> None:
    text = c_reference.page(_ROOT)
    for name in ("et_program_load", "et_method_load", "et_method_execute", "et_backend", "et_observer", "et_value"):
        assert f"#### `{name}`\n" in text
    assert "et_fail_code" not in [line.strip("#` ") for line in text.splitlines() if line.startswith("####")]


def test_declarations_are_found_with_comments(declarations: tuple[Declaration, ...]) -> None:
    assert [(declaration.names, declaration.comment) for declaration in declarations] == [
        (("ET_COUNT",), "How many."),
        (("et_pair",), "A pair:\n\ntwo numbers.\n\nBoth are integers."),
        (("et_kind",), ""),
        (("et_function",), "A function of the caller's."),
        (("et_hidden", "et_value"), ""),
        (("et_add", "et_name"), "Adds. INVALID_ARGUMENT for *x."),
        (("et_one",), ""),
    ]


def test_last_declaration_needs_no_blank_line(tmp_path: Path) -> None:
    (tmp_path / "last.h").write_text("/* Head. */\nint et_last(void);\n#endif /* EXECUTORCH_LAST_H_ */\n")
    (declaration,) = read_header(tmp_path / "last.h", "executorch/last.h").declarations
    assert declaration.code == "int et_last(void);"


def test_inline_function_bodies_are_omitted(declarations: tuple[Declaration, ...]) -> None:
    assert declarations[-1].code == "static inline int et_one(int x);"
    assert "int second; /* of [0] */" in declarations[1].code


def test_every_status_has_a_row() -> None:
    rows = [line.split("|") for line in status_reference.page(_ROOT).splitlines() if line.startswith("| `")]
    names = {row[1].strip(" `") for row in rows}
    assert names == set(status_reference._ACTIONS) and len(rows) == len(names) == 17
    assert all(cell.strip() for row in rows for cell in row[1:5])
