"""Duplicate nodes with several users, so that each partition has its own copy."""

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, TensorArgument
from torch.fx import GraphModule, Node

from executorch._adapters.quantized_graphs import dequantizes
from exir.pass_base import PassResult

_CONSTANTS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


class DuplicateDequantNodePass:
    """Duplicate `dequantize_per_tensor` nodes, one for each user."""

    def __call__(self, graph_module: GraphModule) -> PassResult:
        shared = [node for node in graph_module.graph.nodes if dequantizes(node)]
        for node in shared:
            for reader in list(node.users)[1:]:
                with graph_module.graph.inserting_before(reader):
                    reader.replace_input_with(node, graph_module.graph.node_copy(node))
        graph_module.recompile()
        return PassResult(graph_module, bool(shared))


def duplicate_constant_node(exported_program: ExportedProgram, candidate_node: str) -> set[str]:
    """Duplicate the placeholder of a parameter, buffer or constant, one for each user.

    Returns the names of the new placeholders. They have the same tensor.
    """
    node = next((node for node in exported_program.graph.nodes if node.name == candidate_node), None)
    if node is None or node.op != "placeholder":
        return set()
    specs = exported_program.graph_signature.input_specs
    place = next(i for i, spec in enumerate(specs) if getattr(spec.arg, "name", None) == node.name)
    if specs[place].kind not in _CONSTANTS:
        raise RuntimeError(f"placeholder '{node.name}' is an input of the program; only constants can be duplicated")
    readers = list(node.users)[1:]
    names = [f"{node.name}_copy_{i}" for i in range(len(readers))]
    for name, reader in zip(names, readers):
        reader.replace_input_with(node, _insert_copy(exported_program, node, specs[place], name))
    specs[place:place] = [_spec_of(specs[place], name) for name in names]
    exported_program.graph_module.recompile()
    exported_program._validate()
    return set(names)


def _insert_copy(program: ExportedProgram, node: Node, spec: InputSpec, name: str) -> Node:
    """Insert a placeholder `name` for the same tensor before `node`."""
    tensors = program.state_dict if spec.target in program.state_dict else program.constants
    tensors[name] = tensors[str(spec.target)]
    with program.graph.inserting_before(node):
        copy = program.graph.placeholder(name)
    copy.meta = dict(node.meta)
    return copy


def _spec_of(spec: InputSpec, name: str) -> InputSpec:
    return InputSpec(spec.kind, TensorArgument(name), name, spec.persistent)
