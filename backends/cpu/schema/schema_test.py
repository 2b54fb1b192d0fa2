"""Tests the encoding of op declarations as words, and the generated C code."""

import re
import subprocess
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

import pytest

from backends.cpu.schema.codegen import c_headers, op_reference, ranges
from backends.cpu.schema.codegen.c_headers import content_of, file_names
from backends.cpu.schema.codegen.c_records import enum_of, struct_of
from backends.cpu.schema.codegen.op_fields import word_fields
from backends.cpu.schema.codegen.ranges import POSITIVE, bounds_at, word_ranges
from backends.cpu.schema.copies import Copy, Permute
from backends.cpu.schema.declarations import (
    Count,
    Int64,
    OpSpec,
    Record,
    Tensor,
    at_word,
    only_if,
    parts_of,
    repeated_part,
    word_count,
)
from backends.cpu.schema.gemm import GemmF32, StrassenF32
from backends.cpu.schema.pooling import AdaptivePool, PoolF32, PoolMode
from backends.cpu.schema.records import (
    MAX_KERNEL,
    NONE,
    Activation,
    ActivationFunction,
)
from backends.cpu.schema.registry import ALL_OPS, BY_CODE, BY_NAME, OPS


def test_codes_and_names_of_ops_are_unique() -> None:
    assert len(BY_CODE) == len(OPS)
    assert len(BY_NAME) == len(ALL_OPS)


def test_all_files_are_written_to_a_folder(tmp_path: Path) -> None:
    c_headers.main(["--folder", str(tmp_path)])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(file_names())


def test_the_header_of_an_undeclared_op_is_an_error() -> None:
    assert content_of("removed.h").startswith('#error "backends/cpu/schema: removed is not declared;')


def test_only_users_of_a_removed_op_fail_to_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = file_names()
    kept = tuple(op for op in ALL_OPS if op.op_name() not in ("mbconv_f32", "topk"))
    for module in (c_headers, ranges):
        monkeypatch.setattr(module, "ALL_OPS", kept)
    monkeypatch.setattr(c_headers, "OPS", tuple(op for op in OPS if op in kept))
    monkeypatch.setattr(c_headers, "BY_NAME", {op.op_name(): op for op in kept})
    generated = tmp_path / "backends/cpu/schema"
    generated.mkdir(parents=True)
    for name in names:
        (generated / name).write_text(content_of(name))
    folders = [str(tmp_path), ".", "runtime/include", "kernels/include"]
    command = ["gcc", "-std=c11", "-w", "-fsyntax-only", *(f"-I{folder}" for folder in folders)]
    sources = [path for path in Path("backends/cpu/ops").glob("*.c") if "test" not in path.name]
    failed = {path.name for path in sources if subprocess.run([*command, path], capture_output=True).returncode != 0}
    assert len(sources) > 50
    assert failed == {"mbconv_f32.c", "mbconv_f32_read.c", "topk.c"}


def test_ops_that_work_in_place_have_that_input_and_one_output() -> None:
    for op in ALL_OPS:
        if op.in_place is not None:
            assert all(each.count in (Count.ONE, Count.MANY) for each in op.inputs[: op.in_place + 1])
            assert [each.count for each in op.outputs] == [Count.ONE]


def test_a_wrong_number_of_words_is_an_error() -> None:
    with pytest.raises(ValueError, match="GemmF32 does not have 2 attribute words"):
        GemmF32.read((0, 0))


def test_attribute_words_are_in_the_order_of_fields() -> None:
    assert StrassenF32(Activation(ActivationFunction.SILU), 7).words() == (4, 0, 0, 7)
    assert GemmF32(NONE).words() == (0, 0, 0)


@pytest.mark.parametrize("op", ALL_OPS, ids=BY_NAME)
def test_every_attribute_word_has_a_range(op: type[OpSpec]) -> None:
    repeated = repeated_part(op)
    assert len(word_ranges(op)) == word_count(op) + (repeated.words if repeated else 0)


@pytest.mark.parametrize("op", ALL_OPS, ids=BY_NAME)
def test_every_attribute_word_has_a_name_and_a_kind(op: type[OpSpec]) -> None:
    fields = word_fields(op)
    assert len(fields) == len(word_ranges(op))
    assert len({name for name, _ in fields}) == len(fields)
    assert all(index <= POSITIVE for index, (_, kind) in zip(word_ranges(op), fields, strict=True) if kind == "float")


def test_bounds_of_a_field_replace_those_of_its_enum_or_record() -> None:
    mode, *kernel = word_ranges(PoolF32)[:3]
    assert bounds_at(mode) == (PoolMode.AVG, PoolMode.MAX)
    assert bounds_at(word_ranges(AdaptivePool)[0]) == (PoolMode.AVG, PoolMode.ARGMAX)
    assert {bounds_at(each) for each in kernel} == {(0, MAX_KERNEL)}


@pytest.mark.parametrize("op", ALL_OPS, ids=BY_NAME)
def test_only_last_inputs_are_optional(op: type[OpSpec]) -> None:
    counts = [tensor.count for tensor in op.inputs]
    assert counts == sorted(counts, key=lambda count: count is not Count.ONE)


def test_generated_headers_have_one_guard_and_one_struct_of_arguments() -> None:
    for name in file_names():
        content = content_of(name)
        if name.endswith(".h"):
            guard = f"BACKENDS_CPU_SCHEMA_{name.upper().replace('.', '_')}_"
            assert content.count(guard) == 3
    header = content_of("norm.h")
    assert re.findall(r"const et_cpu_tensor \*(\w+);", header) == ["x", "scale", "shift", "y"]
    assert ".shift = op->input_count > 2 ? op->tensors[2] : NULL" in header


@pytest.mark.parametrize(
    ("shape", "ranks"),
    [("[]", (0, 0)), ("[A, ceil(B, 16)]", (2, 2)), ("[..., N]", (1, 8)), ("[A, B] | [ceil(A / 16), B, 16]", (2, 3))],
)
def test_shapes_determine_ranks(shape: str, ranks: tuple[int, int]) -> None:
    assert Tensor("x", shape).ranks == ranks


def test_dims_are_arguments() -> None:
    header = content_of("arange.h")
    assert "const int32_t *start;" in header
    assert ".start = op->dims[0]" in header


@pytest.mark.parametrize("record", [Copy(None, (1, -1, 0)), Copy(0.5, ()), Permute((2, 0, 1))], ids=str)
def test_repeated_attributes_are_read_from_the_remaining_words(record: OpSpec) -> None:
    assert type(record).read(record.words()) == record


class _Shape(IntEnum):
    """Shapes."""

    SQUARE = 0
    CIRCLE = 1

    @property
    def corners(self) -> int:
        return 4 if self is _Shape.SQUARE else 0


@dataclass(frozen=True)
class _Figure(Record):
    """A square of two sizes, or a circle."""

    shape: _Shape
    sizes: tuple[int, int] = (0, 0)
    radius: float = field(default=0.0, metadata={**at_word(1), **only_if(shape=_Shape.CIRCLE)})


def test_a_conditional_field_overwrites_shared_words() -> None:
    assert _Figure(_Shape.SQUARE, (2, 3), 1.0).words() == (0, 2, 3)
    assert _Figure(_Shape.CIRCLE, (2, 3), 1.0).words() == (1, 0x3F800000, 3)
    assert _Figure.read((1, 0x3F800000, 3)).radius == 1.0
    assert _Figure.read((0, 2, 3)) == _Figure(_Shape.SQUARE, (2, 3))


def test_conditional_fields_are_written_under_their_condition() -> None:
    code = struct_of(_Figure)
    assert "if (record->shape == ET_CPU__SHAPE_CIRCLE) {\n  words[1] = et_cpu_word_of_float(record->radius);" in code


@dataclass(frozen=True)
class _Drawing(Record):
    """A figure with a field of each type. The condition depends on the second field."""

    layer: int
    shape: _Shape
    seed: Int64
    origin: tuple[int, float]
    fill: float | None
    figure: _Figure
    radius: float = field(default=0.0, metadata={**at_word(4), **only_if(shape=_Shape.CIRCLE)})


def test_condition_may_depend_on_any_field() -> None:
    assert "if (record->shape == ET_CPU__SHAPE_CIRCLE) {" in struct_of(_Drawing)


def test_words_have_names_and_kinds() -> None:
    assert word_fields(_Drawing) == [
        ("layer", "int"),
        ("shape", "int"),
        ("seed.low", "int"),
        ("seed.high", "int"),
        ("origin[0]|radius", "any"),
        ("origin[1]", "float"),
        ("fill.has_value", "int"),
        ("fill.value", "float"),
        ("figure.shape", "int"),
        ("figure.sizes[0]|radius", "any"),
        ("figure.sizes[1]", "int"),
    ]


def test_enum_properties_become_tables() -> None:
    assert "#define ET_CPU__SHAPE_CORNERS {[0] = 4, [1] = 0}" in enum_of(_Shape)


@dataclass(frozen=True)
class _Leaf(Record):
    """A nested record."""

    low: int
    high: int


@dataclass(frozen=True)
class _Branch(Record):
    """A record that contains another one."""

    leaf: _Leaf


@dataclass(frozen=True)
class _Root(Record):
    """A record that contains records at two levels."""

    branch: _Branch


@dataclass(frozen=True)
class _Pairs(Record):
    """A record with pairs of words in its remaining words."""

    count: int
    leaves: tuple[_Leaf, ...]


def test_reference_includes_records_at_any_depth() -> None:
    assert op_reference._records([_Root]) == [_Branch, _Leaf]


def test_reference_states_the_words_of_repeated_records() -> None:
    assert [op_reference._words(part) for part in parts_of(_Pairs)] == ["0", "1 + 2 i"]


def test_reference_finds_base_classes_that_docstrings_mention() -> None:
    bases = op_reference._named_bases(OPS)
    assert bases and not set(bases) & set(OPS)
    texts = [op.__doc__ or "" for op in OPS]
    assert all(issubclass(base, OpSpec) and any(f"`{base.__name__}`" in text for text in texts) for base in bases)
    assert len(bases) == len(set(bases))


class _Mentioning(GemmF32):
    """Compares with `OpSpec`, `Record` and `GemmF32`."""


def test_reference_ignores_mentioned_ops_and_records() -> None:
    assert op_reference._named_bases([_Mentioning]) == [OpSpec]


def test_paragraph_indents_items_and_does_not_break_long_words() -> None:
    word, item = "x" * 120, "ab-cdefgh " * 40
    text = op_reference._paragraph(f"Head {word}.\n - {item}\n - second")
    head, first, *rest = text.splitlines()
    assert (head, first) == ("Head", f"{word}.")
    items = [line for line in rest if line]
    assert items[0].startswith("- ab-cdefgh ") and items[1].startswith("  ab-cdefgh") and items[-1] == "- second"
    assert all(not line.endswith("-") and len(line) <= 100 for line in items)
    assert op_reference._paragraph("Head only.") == "Head only.\n"
