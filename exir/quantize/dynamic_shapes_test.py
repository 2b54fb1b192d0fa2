"""Tests that static quantization keeps dynamic shapes and integer inputs' bounds."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, export

from exir.decomposition.recurrence import dynamic_recurrence
from exir.quantize import QuantizationOptions, quantize_program


def test_quantized_program_keeps_dynamic_shapes() -> None:
    module, x = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval(), torch.randn(3, 4)
    shapes = {"input": {0: Dim("n", min=2, max=16)}}
    program = export(module, (x,), dynamic_shapes=shapes)
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [(x,)], shapes)
    assert quantized.program.module()(torch.randn(11, 4)).shape == (11, 2)


def test_quantized_program_keeps_a_size_without_upper_bound() -> None:
    module, x = nn.Linear(4, 2).eval(), torch.randn(3, 4)
    program = export(module, (x,), dynamic_shapes=({0: Dim.DYNAMIC},))
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [(x,)]).program
    assert quantized.module()(torch.randn(50, 4)).shape == (50, 2)
    assert list(quantized.range_constraints.values()) == list(program.range_constraints.values())


def test_input_size_that_is_a_product_of_sizes_stays_dynamic() -> None:
    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor, mask: Tensor) -> Tensor:
            return self.layer(x).reshape(-1, 4) + mask

    shapes = ({0: Dim.DYNAMIC, 1: Dim.DYNAMIC}, {0: Dim.AUTO})
    inputs = torch.randn(3, 5, 4), torch.randn(15, 1)
    program = export(Masked().eval(), inputs, dynamic_shapes=shapes)
    assert program.graph.find_nodes(op="placeholder")[-1].meta["val"].shape[0].node.expr.is_Mul
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [inputs]).program
    assert quantized.module()(torch.randn(2, 7, 4), torch.randn(14, 1)).shape == (14, 4)


_NONLINEAR: dict[str, Callable[[Tensor], Tensor]] = {
    "square": lambda y: (y @ y.T).reshape(-1),
    "half": lambda y: y[::2].sum(1),
}


@pytest.mark.parametrize("name", _NONLINEAR)
def test_input_size_that_is_a_nonlinear_function_of_a_size_stays_dynamic(name: str) -> None:
    function = _NONLINEAR[name]

    class Biased(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor, bias: Tensor, twice: Tensor) -> tuple[Tensor, Tensor]:
            y = self.layer(x)
            return function(y) + bias, torch.cat([y, y]) + twice

    def inputs_of(n: int) -> tuple[Tensor, ...]:
        x = torch.randn(n, 4)
        return x, torch.randn_like(function(x)), torch.randn(2 * n, 4)

    shapes = ({0: Dim.DYNAMIC}, {0: Dim.AUTO}, {0: Dim.AUTO})
    program = export(Biased().eval(), inputs_of(3), dynamic_shapes=shapes)
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [inputs_of(3)]).program
    inputs = inputs_of(6)
    for found, expected in zip(quantized.module()(*inputs), inputs[1:], strict=True):
        assert found.shape == expected.shape


def test_recurrent_layer_keeps_a_dynamic_length() -> None:
    module = nn.Sequential(nn.Linear(4, 4), nn.GRU(4, 3)).eval()
    with dynamic_recurrence():
        program = export(module, (torch.randn(6, 1, 4),), dynamic_shapes=({0: Dim("n", min=1, max=16)},))
    calls = [(torch.randn(6, 1, 4),)] * 3
    quantized = quantize_program(program, QuantizationOptions("int8_static"), calls).program
    for length in (1, 16):
        x = calls[0][0][:1].expand(length, -1, -1)
        for found, expected in zip(quantized.module()(x), module(x), strict=True):
            torch.testing.assert_close(found, expected, atol=0.02, rtol=0.0)


def test_dynamic_shapes_of_nested_arguments_stay_dynamic() -> None:
    class Variadic(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, *inputs: Tensor) -> Tensor:
            return self.layer(inputs[0]) + inputs[1][::2]

    module, n = Variadic().eval(), Dim("n", min=2, max=16)
    inputs = torch.randn(3, 4), torch.randn(6, 4)
    program = export(module, inputs, dynamic_shapes=(({0: n}, {0: 2 * n}),))
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [inputs]).program
    assert quantized.module()(torch.randn(11, 4), torch.randn(22, 4)).shape == (11, 4)
    bounds = [sorted(map(str, program_.range_constraints.values())) for program_ in (program, quantized)]
    assert bounds[0] == bounds[1]


def test_integer_input_keeps_its_bounds() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor, n: int) -> Tensor:
            return self.layer(x) * n

    inputs = torch.randn(3, 4), 3
    program = export(Scaled().eval(), inputs, dynamic_shapes=({}, Dim.DYNAMIC(min=2, max=5)))
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [inputs]).program
    assert [str(constraint) for constraint in quantized.range_constraints.values()] == ["VR[2, 5]"]


def test_integer_input_that_is_a_size_may_be_zero() -> None:
    class Expanded(nn.Module):
        def forward(self, x: Tensor, n: int) -> Tensor:
            return x.clamp(max=n).unsqueeze(0).expand(n, *x.shape)

    inputs = torch.randn(1, 4, 4), 6
    program = export(Expanded(), inputs, dynamic_shapes=({}, Dim.DYNAMIC(min=0, max=6)))
    quantized = quantize_program(program, QuantizationOptions("int8_static"), [inputs]).program
    assert [str(constraint) for constraint in quantized.range_constraints.values()] == ["VR[0, 6]"]
    assert quantized.module(check_guards=False)(inputs[0], 0).shape == (0, 1, 4, 4)
