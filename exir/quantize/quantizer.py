"""The quantizer, which annotates the operands and results of each operator."""

from collections.abc import Callable
from operator import attrgetter

from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import QuantizationSpec, Quantizer

from exir.debug.source import module_of
from exir.quantize.exclusions import Exclusions
from exir.quantize.families import (
    Family,
    bound_after,
    computes_float,
    family_of,
    float_dtype,
    gives_float,
    operator_name,
)
from exir.quantize.norms import expose_norms, is_unfolded_norm, unfolded_reason
from exir.quantize.options import QuantizationOptions
from exir.quantize.report import Decision, decision
from exir.quantize.shared_ranges import SharedRanges
from exir.quantize.specs import make_specs


class StaticQuantizer(Quantizer):
    """Quantizes layers with constant weights, and the operators between them.

    An operator without a weight is quantized only if its operands are already quantized. A layer or binary operator and the clamp that follows it are one unit.

    decisions: the decision for each operator, after the graph is annotated.
    """

    def __init__(self, options: QuantizationOptions) -> None:
        self._options = options
        self._specs = make_specs(options)
        self._exclusions = Exclusions(options.exclude)
        self._rules: dict[Family, Callable[[Node], str]] = {
            Family.WEIGHTED: self._annotate_weighted,
            Family.BINARY: self._annotate_elementwise,
            Family.UNARY: self._annotate_elementwise,
            Family.PASSING: self._annotate_passthrough,
            Family.JOINING: self._annotate_concat,
        }
        self._ranges = SharedRanges()
        self._results: set[Node] = set()
        self.decisions: list[Decision] = []

    def transform_for_annotation(self, model: GraphModule) -> GraphModule:
        """Restore the norms; torchao has folded batch norms at this point."""
        expose_norms(model)
        return model

    def annotate(self, model: GraphModule) -> GraphModule:
        """Annotate every operator that the recipe quantizes."""
        for node in model.graph.nodes:
            if operator_name(node) and computes_float(node) and node not in self._results:
                self._annotate_or_record(node)
        return model

    def validate(self, model: GraphModule) -> None:
        """Check that every pattern excluded at least one module. Raises `ConfigError`."""
        self._exclusions.check_all_matched()

    def _annotate_or_record(self, node: Node) -> None:
        reason = self._try_annotate(node)
        self.decisions.append(decision(node, reason))
        if not reason and (bound := bound_after(node)) in self._results:
            assert bound is not None
            self.decisions.append(decision(bound))

    def _try_annotate(self, node: Node) -> str:
        """Annotate `node`, or return why it stays float."""
        excluded = self._exclusions.reason(module_of(node))
        family = family_of(node)
        if excluded or is_unfolded_norm(node):
            return excluded or unfolded_reason(node)
        if family is None:
            return self._options.no_form
        if not gives_float(node):
            dtype = str(float_dtype(node)).removeprefix("torch.")
            return f"its result is {dtype}; recipe '{self._options.recipe}' quantizes float32"
        computed = [name for name, value in node.kwargs.items() if isinstance(value, Node)]
        if computed:  # torchao supports only constants
            return f"its argument '{computed[0]}' is not a constant"
        return self._rules[family](node)

    def _annotate_weighted(self, node: Node) -> str:
        x, weight = node.args[:2]
        if weight.op != "get_attr":
            return "its weight is computed, not a constant"
        self._annotate_bounded(node, {x: self._specs.activation, weight: self._specs.weight})
        return ""

    def _annotate_elementwise(self, node: Node) -> str:
        operands = [input_node for input_node in node.all_input_nodes if gives_float(input_node)]
        refusal = self._operands_refusal(operands)
        if not refusal:
            self._annotate_bounded(node, dict.fromkeys(operands, self._specs.activation))
        return refusal

    def _annotate_passthrough(self, node: Node) -> str:
        source = node.args[0]
        refusal = self._operands_refusal([source])
        if not refusal:
            self._annotate_shared(node, [source])
        return refusal

    def _annotate_concat(self, node: Node) -> str:
        sources = list(dict.fromkeys(node.args[0]))
        refusal = self._operands_refusal(sources)
        if not refusal:
            self._annotate_shared(node, sources)
        return refusal

    def _operands_refusal(self, operands: list[Node]) -> str:
        if not all(gives_float(operand) for operand in operands):
            return "an operand is not float32"
        computed = [operand for operand in operands if not _has_constant_range(operand)]
        quantized = all(operand in self._results or operand.op == "placeholder" for operand in computed)
        return "" if computed and quantized else "an operand is float"

    def _annotate_bounded(self, node: Node, operands: dict[Node, QuantizationSpec]) -> None:
        """Annotate `node` and its clamp; only the clamp's result is quantized."""
        bound = bound_after(node)
        if bound is None or self._exclusions.reason(module_of(bound)):
            self._ranges.annotate(node, operands, self._specs.activation)
            self._results.add(node)
            return
        self._ranges.annotate(node, operands)
        self._ranges.annotate(bound, {}, self._specs.activation)
        self._results.add(bound)

    def _annotate_shared(self, node: Node, operands: list[Node]) -> None:
        self._ranges.annotate_shared(node, operands, self._specs.activation)
        self._results.add(node)


def _has_constant_range(node: Node) -> bool:
    """Return true if `node` is a constant with a finite range.

    Attention masks have infinite elements, and mutated buffers are not constant.
    """
    if node.op != "get_attr" or any(operator_name(user) == "aten::copy_" for user in node.users):
        return False
    assert node.graph.owning_module is not None
    return bool(attrgetter(str(node.target))(node.graph.owning_module).isfinite().all())
