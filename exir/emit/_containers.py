"""The pytree structure of a method's inputs and outputs, as text."""

from torch.utils import _pytree as pytree

from exir.schema import ContainerMetadata


def container_metadata(in_spec: pytree.TreeSpec, out_spec: pytree.TreeSpec) -> ContainerMetadata:
    """Return both specs as PyTorch's JSON.

    A named tuple that has no serialized name is written as a plain tuple.
    """
    return ContainerMetadata(_dumps(in_spec), _dumps(out_spec))


def _dumps(spec: pytree.TreeSpec) -> str:
    try:
        return pytree.treespec_dumps(spec)
    except NotImplementedError:
        return pytree.treespec_dumps(_with_plain_tuples(spec))


def _with_plain_tuples(spec: pytree.TreeSpec) -> pytree.TreeSpec:
    if spec.is_leaf():
        return spec
    children = [_with_plain_tuples(child) for child in spec.children()]
    if spec.type in (tuple, list, dict):
        return pytree.TreeSpec(spec.type, spec.context, children)
    return pytree.treespec_tuple(children)
