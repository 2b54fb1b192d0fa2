"""`grouped_gemm_f32`: consecutive groups of rows, each times a constant matrix of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from backends.cpu.compiler.ops.spec import NoAttributes, Sizes
from backends.cpu.compiler.packing import unpanelled


@dataclass(frozen=True)
class GroupedGemmF32(NoAttributes):
    """x [S, K], panels [G, ceil(N / 16), K, 16], bias, ends [G] to [S, N].

    Group g has the rows from ends[g - 1], or 0, to ends[g]; other rows are zero.
    """

    code = 48

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) == 5, "takes four inputs, gives one output")
        x, panels, _, ends, y = sizes
        self.expect(len(x) == 2 and len(y) == 2 and x[0] == y[0], f"rows of {x} and {y} differ")
        self.expect(len(panels) == 4 and ends == panels[:1], f"{panels} are not the weights of {ends} groups")
        self.expect(panels[2] == x[1], f"{x} and {panels} do not fit together")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, bias, ends = inputs
        n = outputs[0].shape[1]
        outputs[0].zero_()
        start = 0
        for weight, end in zip(unpanelled(packed, n), ends.tolist(), strict=True):
            outputs[0][start:end] = x[start:end] @ weight.t() + bias.flatten()[:n]
            start = end


@dataclass(frozen=True)
class GroupedGemmF32F16w(GroupedGemmF32):
    """The same of panels that are float16 or bfloat16."""

    code = 49

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        x, packed, *others = inputs
        super().run([x, packed.float(), *others], outputs, dims)
