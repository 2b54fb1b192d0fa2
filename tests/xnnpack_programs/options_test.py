"""Tests the layouts and options of XnnpackBackend when a method is loaded."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from executorch_runtime import ExecutorchError, Method, Program

_FOLDER = Path(__file__).parent
_BACKEND = "XnnpackBackend"


def _method_of(program: str, **options: str) -> Method:
    return Program(_FOLDER / f"{program}.pte").method(backend_options={_BACKEND: options})


def _method(**options: str) -> Method:
    return _method_of("winograd", **options)


def test_disabling_winograd_matches_official_outputs_with_less_memory() -> None:
    recorded = np.load(_FOLDER / "winograd.npz")
    tiles, windows = _method(winograd="auto"), _method(winograd="never", isa="plain")
    (plain,) = windows(recorded["c0_in0"])
    np.testing.assert_allclose(plain, recorded["c0_et0"], rtol=1e-5, atol=1e-5)
    # Columns (padded to panels), channels and positions instead of 9 taps. The last image has 36 pixels.
    panels = [(48, 32, 36), (48, 40, 36), (32, 33, 16)]
    more = sum(4 * columns * channels * (positions - 9) for columns, channels, positions in panels)
    assert tiles.memory.method - windows.memory.method >= more
    assert tiles.memory.scratch > windows.memory.scratch


def test_winograd_tiles_shrink_above_4_mb_of_weights() -> None:
    # 200 x 200 windows of 9 taps, with padded columns. 16 positions are used: 36 would need 4.3 MB more than windows.
    program = Program(_FOLDER / "winograd_wide.pte")
    method, windows = (
        program.method(backend_options={_BACKEND: {"winograd": w}}).memory.method for w in ("auto", "never")
    )
    more = 4 * 208 * 200 * (16 - 9)
    assert more <= method - windows < more + 4096


def test_int8_winograd_matches_direct_convolution() -> None:
    recorded = np.load(_FOLDER / "winograd_q.npz")
    tiles, windows = _method_of("winograd_q", winograd="auto"), _method_of("winograd_q", winograd="never")
    others = [_method_of("winograd_q", winograd=winograd, isa="plain") for winograd in ("auto", "never")]
    for call in range(2):
        (found,) = tiles(recorded[f"c{call}_in0"])
        for other in (windows, *others):
            (again,) = other(recorded[f"c{call}_in0"])
            np.testing.assert_array_equal(again, found)
    # Pairs of int8 values at 36 positions instead of 9 taps, for two layers. The third layer's 40
    # columns do not fill whole panels.
    more = 2 * 64 * 32 * (2 * 36 - 9)
    assert tiles.memory.method - windows.memory.method >= more
    assert _steps("winograd_q")["winograd_qs8"] == 2


def test_auto_is_the_default_option() -> None:
    assert _method().memory == _method(winograd="auto").memory


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"winograd": "always"}, "option 'winograd' must be auto or never"),
        ({"threads": "2"}, "option 'threads' is unknown or not a string; pass 'isa' or 'winograd'"),
        ({"isa": "neon2"}, "option 'isa' must be plain, wasm_simd128, .*, avx512 or neon"),
    ],
)
def test_unknown_options_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ExecutorchError, match=message):
        _method(**options)


def _steps(program: str) -> Counter[str]:
    method = Program(_FOLDER / f"{program}.pte").method(trace=True)
    recorded = np.load(_FOLDER / f"{program}.npz")
    method(*(recorded[name] for name in sorted(recorded.files) if name.startswith("c0_in")))
    return Counter(event.name for event in method.events() if event.kind == "step")


def test_add_and_activation_fuse_into_layers() -> None:
    # The remaining ops: two additions of values with two uses, one of a depthwise layer, which has no fused addition,
    # and a multiplication.
    assert _steps("residual")["elementwise_f32"] == 4
    # The remaining ops: three for a hardsigmoid, a multiplication, two for a silu, and a hardswish of a value with two
    # uses.
    assert _steps("swish")["elementwise_f32"] == 7


def test_inverted_residuals_are_row_tiled() -> None:
    # Four separate blocks, and the first and third of the blocks that share layers.
    assert _steps("strip")["mbconv_f32"] == 6


def test_consecutive_inverted_residuals_are_tiled_together() -> None:
    steps = _steps("chain")
    # Six consecutive blocks become four and two; three are separate, because images between them have two uses.
    assert steps["mbconv_f32"] == 5
    # Three results, and the image that is multiplied per pixel; both window convolutions read
    # planar layout.
    assert steps["permute"] == 4
    assert _steps("chain_dynamic") == {"mbconv_f32": 1, "permute": 1}


def test_op_far_after_a_layer_is_not_fused() -> None:
    # 40 sines and cosines, then two additions that are too far from their layers to be fused.
    assert _steps("far") == {"elementwise_f32": 82, "conv_f32": 1, "gemm_f32": 1, "permute": 4}


def _load_with_group_scale(path: Path, index: int, bits: int) -> None:
    """Load `rows_q` with another bit pattern of one float16 scale.

    The layer has 40 outputs with 3 groups of 4-bit weights each.
    """
    program = bytearray((_FOLDER / "rows_q.pte").read_bytes())
    values = np.frombuffer(program, np.uint16)
    runs = np.lib.stride_tricks.sliding_window_view((values > 0x3800) & (values < 0x3F80), 120)
    (place,) = np.flatnonzero(runs.all(axis=1))
    values[place + index] = bits
    path.write_bytes(program)
    Program(path).method()


@pytest.mark.parametrize("index", [0, 58, 119])
def test_nonpositive_group_scales_are_refused(index: int, tmp_path: Path) -> None:
    path = tmp_path / "scaled.pte"
    for bits in (0x7F80, 0x7FC0, 0xFF80, 0xFFFF, 0x8001, 0xBF80):
        with pytest.raises(ExecutorchError, match="has a scale that is not a positive number"):
            _load_with_group_scale(path, index, bits)
    for bits in (0x0000, 0x8000, 0x0001, 0x7F7F):
        _load_with_group_scale(path, index, bits)


@pytest.mark.parametrize("scale", [-0.0125, float("inf"), float("nan")])
def test_invalid_channel_scales_are_refused(scale: float, tmp_path: Path) -> None:
    # The scales of a layer's 64 outputs come before those of its bias.
    program = (_FOLDER / "winograd_q.pte").read_bytes()
    floats = np.frombuffer(program, np.float32, len(program) // 4)
    runs = np.lib.stride_tricks.sliding_window_view((floats > 1e-6) & (floats < 0.5), 64)
    place, _ = np.flatnonzero(runs.all(axis=1))
    for index in (0, 63):
        changed = floats.copy()
        changed[place + index] = scale
        path = tmp_path / "scaled.pte"
        path.write_bytes(changed.tobytes() + program[4 * len(floats) :])
        with pytest.raises(ExecutorchError, match="has a scale that is not a positive number"):
            Program(path).method()


def test_zero_padding_is_merged_into_its_windows() -> None:
    # The remaining pads: before pixels, with 0.5, with two uses, of channels, before a transposed layer and before a
    # pool. There are also two slices.
    assert _steps("pads")["copy"] == 8
    # For int8 and float16, the copies that remain are those in planar layout, which a transpose reads.
    assert _steps("pads_q")["copy"] == 1
    assert _steps("pads_half")["copy"] == 1
    assert _steps("pads_dynamic") == {"conv_f32": 2, "dwconv_f32": 1, "permute": 1}
    assert _steps("pads_strip") == {"mbconv_f32": 2, "permute": 1}


def test_planar_tensor_with_mismatched_sizes_is_refused(tmp_path: Path) -> None:
    program = (_FOLDER / "pads_strip.pte").read_bytes()
    declared, other = (np.array([1, 3, 120, width], np.uint32).tobytes() for width in (116, 1 << 20))
    place = program.rindex(declared)  # those of the delegate, after those of the program
    path = tmp_path / "other.pte"
    path.write_bytes(program[:place] + other + program[place + len(other) :])
    with pytest.raises(ExecutorchError, match="planar input do not match those of its transpose"):
        Program(path).method()


def _load_with_list(program: str, old: list[int], new: list[int], place: int, path: Path) -> Method:
    """Load a program with one occurrence of the list `old` replaced by `new`.

    `place` is the index of the occurrence in the file.
    """
    content = (_FOLDER / f"{program}.pte").read_bytes()
    before, after = (np.array([len(items), *items], np.uint32).tobytes() for items in (old, new))
    parts = content.split(before)
    path.write_bytes(before.join(parts[: place + 1]) + after + before.join(parts[place + 1 :]))
    return Program(path).method()


def test_slice_beyond_its_dim_is_refused(tmp_path: Path) -> None:
    for place in range(2):
        with pytest.raises(ExecutorchError, match="4 elements starting at 3 exceed dim 3 of size 6"):
            _load_with_list("slice4", [0, 0, 0, 2], [0, 0, 0, 3], place, tmp_path / "sliced.pte")


def test_size_of_zero_in_a_reshape_is_computed(tmp_path: Path) -> None:
    recorded = np.load(_FOLDER / "view0.npz")
    for sizes in ([0, 4], [6, 0]):
        method = _load_with_list("view0", [6, 4], sizes, 4, tmp_path / "reshaped.pte")
        (found,) = method(recorded["c0_in0"])
        np.testing.assert_array_equal(found, recorded["c0_et0"])
    for sizes in ([0, 0], [0, 5]):
        with pytest.raises(ExecutorchError, match="cannot reshape 24 elements to the output sizes"):
            _load_with_list("view0", [6, 4], sizes, 4, tmp_path / "reshaped.pte")


def test_gemm_quantizes_its_rows_in_place() -> None:
    steps = _steps("rows_q")
    # One row and five rows, with 4-bit and 8-bit weights. One row with 8 bits is rounded, then multiplied in float.
    assert (steps["gemm_qd8_qbw"], steps["round_rows"], steps["gemm_f32_qbw"]) == (3, 1, 1)
    assert steps["permute"] == 0
