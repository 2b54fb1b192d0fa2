"""Tests of the check for unique test names."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parents[2] / "tools/checking"))

from unique_tests import Definition, definitions_in, repeated

_PYTHON = '''"""def test_in_text(): the text of a docstring."""

def test_first() -> None: ...

class TestGroup:
    def test_second(self) -> None: ...

def helper() -> None: ...
'''
_C = """static void test_first(void **state) {}

static void test_second_with_a_name_that_fills_the_line(
    void **state) {}

static void test_helper(int count) {}
"""


def test_python_tests_are_found_in_modules_and_classes() -> None:
    assert list(definitions_in("a_test.py", _PYTHON)) == [
        Definition("test_first", "a_test.py", 3),
        Definition("test_second", "a_test.py", 6),
    ]


def test_c_tests_are_found_by_their_cmocka_signature() -> None:
    assert list(definitions_in("a_test.c", _C)) == [
        Definition("test_first", "a_test.c", 1),
        Definition("test_second_with_a_name_that_fills_the_line", "a_test.c", 3),
    ]


def test_repeated_test_names_are_reported_with_both_places() -> None:
    definitions = [Definition("test_a", "x_test.py", 3), Definition("test_a", "y_test.c", 7)]
    assert list(repeated(definitions)) == [
        "y_test.c:7: test_a is the name of another test, at x_test.py:3; rename one of them"
    ]


def test_distinct_test_names_are_accepted() -> None:
    assert list(repeated([Definition("test_a", "x_test.py", 3), Definition("test_b", "x_test.py", 7)])) == []
