"""Options of `to_edge`."""

from dataclasses import dataclass, field

from torch._ops import OpOverload


@dataclass
class EdgeCompileConfig:
    """Options of `to_edge`.

    _check_ir_validity: verify the edge dialect between passes.
    _skip_dim_order: keep `aten::_to_copy` and `aten::clone` instead of the `dim_order_ops`.
    _core_aten_ops_exception_list: operators outside core ATen that the verifier accepts.
    preserve_ops: operators that are not decomposed.
    preserve_sdpa: keep `scaled_dot_product_attention` as one operator if no backend delegates
        it. The operator is faster and allocates no score matrix, but only this project's runtime
        supports it. False decomposes it into GEMMs and a softmax.
    fuse_low_bit_linear: emit one operator for a linear layer with low-bit weights; only this
        project's runtime supports it. False dequantizes the weight before a GEMM.
    pipeline: passes between decomposition and the edge program, as text (`exir/passes/pipeline.py`); None
        for the default passes.
    """

    _check_ir_validity: bool = True
    _skip_dim_order: bool = False
    _core_aten_ops_exception_list: list[OpOverload] = field(default_factory=list)
    preserve_ops: list[OpOverload] = field(default_factory=list)
    preserve_sdpa: bool = False
    fuse_low_bit_linear: bool = True
    pipeline: str | None = None
