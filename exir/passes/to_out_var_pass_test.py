"""Tests that out variants compute the same results as functional operators."""

import copy

import pytest
import torch

from exir import memory, schema
from exir.capture import EdgeCompileConfig
from exir.error import UnsupportedOperatorError
from exir.passes.spec_prop_pass import SpecPropPass
from exir.passes.to_out_var_pass import ToOutVarPass
from exir.program import to_edge
from exir.testing import models
from exir.testing.models import Example


class Several(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values, indices = x.topk(2, dim=1)
        first, second = torch.split(x, [1, 3], dim=1)
        return values, indices, first, second + 1


def converted(example: Example, config: EdgeCompileConfig | None = None) -> torch.export.ExportedProgram:
    program = to_edge(example.export(), compile_config=config).exported_program()
    SpecPropPass().run(program)
    done = ToOutVarPass()
    done.run(program)
    done.ensures(program)
    program.graph_module.recompile()
    return program


@pytest.mark.parametrize("name", ["simple_conv", "conv_bn_relu", "mlp", "dynamic_add"])
def test_out_variant_program_matches_eager(name: str) -> None:
    example = models.ALL[name]()
    expected = copy.deepcopy(example.module)(*example.inputs)
    with torch.no_grad():
        torch.testing.assert_close(converted(example).module()(*example.inputs), expected)


def test_multiple_outputs_are_all_written() -> None:
    example = Example(Several(), (torch.randn(3, 4),))
    program = converted(example)
    top = next(n for n in program.graph.nodes if n.target is torch.ops.aten.topk.values)
    assert {"values", "indices"} <= set(top.kwargs)
    split = torch.ops.aten.split_with_sizes_copy.out
    out = next(n for n in program.graph.nodes if n.target is split).kwargs["out"]
    assert out.target is memory.alloc
    assert out.args == ([((3, 1), torch.float32), ((3, 3), torch.float32)],)


def test_missing_out_variant_is_reported_with_its_line() -> None:
    with torch.library._scoped_library("b_out_test", "DEF") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
        program = to_edge(models.mlp().export()).exported_program()
        SpecPropPass().run(program)
        node = next(n for n in program.graph.nodes if n.name.startswith("aten_relu"))
        node.target = torch.ops.b_out_test.twice.default
        with pytest.raises(
            UnsupportedOperatorError, match="b_out_test::twice, called on float32, has no out variant"
        ) as error:
            ToOutVarPass().run(program)
        assert error.value.source is not None


def test_unused_results_have_no_memory() -> None:
    class Backward(torch.nn.Module):
        def forward(self, gradient: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            weight, output_mask = torch.ones(1, 1, 1, 1), [True, False, False]
            return torch.ops.aten.convolution_backward(
                gradient, x, weight, [1], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, output_mask
            )[0]

    example = Example(Backward(), (torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)))
    config = EdgeCompileConfig(preserve_ops=[torch.ops.aten.convolution_backward.default])
    (call,) = [
        n for n in converted(example, config).graph.nodes if "convolution_backward" in str(n.target)
    ]
    assert [call.kwargs[f"out{i}"] is None for i in range(3)] == [False, True, True]
    (plan,) = (
        to_edge(example.export(), compile_config=config)
        .to_executorch()
        .executorch_program.execution_plan
    )
    instruction = plan.chains[0].instructions[-1].instr_args
    assert isinstance(instruction, schema.KernelCall)
    returned = plan.values[instruction.args[-1]].val
    assert isinstance(returned, schema.OptionalTensorList) and returned.items[1:] == [-1, -1]
