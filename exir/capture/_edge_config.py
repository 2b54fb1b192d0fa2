"""Options of `to_edge`."""

from dataclasses import dataclass, field

from torch._ops import OpOverload


@dataclass
class EdgeCompileConfig:
    """Options of `to_edge`.

    _check_ir_validity: verify the edge dialect between passes.
    _skip_dim_order: keep `aten::_to_copy` and `aten::clone` instead of the `dim_order_ops`.
    _core_aten_ops_exception_list: operators outside core ATen that the verifier lets pass.
    preserve_ops: operators that are not decomposed.
    whole_attention: what backends leave of `scaled_dot_product_attention` is one operator, which makes no matrix of scores, which
        this project's runtime has and the official one has not; else what it is made of.
    fuse_few_bits: a linear layer of a weight of few bits is one operator, which this project's runtime has and the official one has
        not; else a product with what the weight is dequantized to.
    pipeline: the passes between decomposition and the edge program, as text
        (`exir/pipeline.py`); None for the default ones.
    """

    _check_ir_validity: bool = True
    _skip_dim_order: bool = False
    _core_aten_ops_exception_list: list[OpOverload] = field(default_factory=list)
    preserve_ops: list[OpOverload] = field(default_factory=list)
    whole_attention: bool = False
    fuse_few_bits: bool = True
    pipeline: str | None = None
