"""Test the collection of message texts from C sources."""

import pytest

from runtime.packing.collect import Said, said


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ('return et_fail(error, ET_STATUS_INTERNAL, "a %u", (unsigned)i);', ("a %u",)),
        ('et_fail_program(f(a, b), "a"\n   "b")', ("ab",)),
        ('et_fail_because(e, s, &reason, "c: ")', ("c: ",)),
        ('et_fail_within(e, s, "d: ")', ("d: ",)),
        ('et_tell_more(e, ", %s", "argument")', (", %s",)),
        ('f(ET_SAYS("e"), "no message")', ("e",)),
        ('ok ? ET_SAYS("f") : ET_SAYS("g")', ("f", "g")),
        (r'ET_SAYS("\"\\")', ('"\\',)),
        ("et_fail(e, s, variable)", ()),
        ("et_fail(e)", ()),
        ('/* ET_SAYS("h") */ // ET_SAYS("i")', ()),
        ('my_et_fail(e, s, "j")', ()),
    ],
)
def test_formats_and_what_is_handed_on(source: str, texts: tuple[str, ...]) -> None:
    assert said(source) == Said(texts, ())


def test_a_macro_that_hands_its_format_on_puts_its_own_text_before_it() -> None:
    source = """
#define FAIL(c, format, ...) \\
  et_fail((c)->error, 1, \\
          "at %u: " format, (c)->index, __VA_ARGS__)
FAIL(c, "no %s", name);
"""
    assert said(source).texts == ("at %u: no %s",)


def test_rows_of_lists_are_texts_or_names() -> None:
    assert said('X(OK, 0x00, "success") X(version) X(\'t\', BIT(TENSOR), "Tensor")') == Said(
        ("success", "Tensor"), ("version",)
    )


def test_escapes_that_messages_do_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match=r"a message has \\n: of escapes, messages have"):
        said(r'ET_SAYS("a\n")')
