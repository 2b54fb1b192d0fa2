"""A mypy plugin that types the loosely typed attributes of torch as Any.

Torch types the arguments of an FX node as a union of about twenty kinds, a node's target as a
callable or a name, and a module's attributes as a tensor or a module. The actual type depends on
the operator or the module, so each use would need a cast.
"""

from collections.abc import Callable
from typing import Final

from mypy.plugin import AttributeContext, Plugin
from mypy.types import AnyType, Instance, Type, TypeOfAny, get_proper_type

_NODE: Final = "torch.fx.node.Node"
_MODULE: Final = "torch.nn.modules.module.Module"


def _any() -> Type:
    return AnyType(TypeOfAny.explicit)


def _tuple_of_any(context: AttributeContext) -> Type:
    return context.api.named_generic_type("builtins.tuple", [_any()])


def _dict_of_any(context: AttributeContext) -> Type:
    return context.api.named_generic_type("builtins.dict", [context.api.named_generic_type("builtins.str", []), _any()])


_NODE_ATTRIBUTES: Final[dict[str, Callable[[AttributeContext], Type]]] = {
    f"{_NODE}.args": _tuple_of_any,
    f"{_NODE}.kwargs": _dict_of_any,
    f"{_NODE}.target": lambda context: _any(),
}


def _module_attribute(name: str) -> Callable[[AttributeContext], Type]:
    """Any for parameters, buffers and submodules, which `__getattr__` returns."""

    def hook(context: AttributeContext) -> Type:
        owner = get_proper_type(context.type)
        declared = isinstance(owner, Instance) and owner.type.get(name) is not None
        return context.default_attr_type if declared else _any()

    return hook


class TorchTypes(Plugin):
    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        owner, _, name = fullname.rpartition(".")
        return _module_attribute(name) if owner == _MODULE else _NODE_ATTRIBUTES.get(fullname)


def plugin(version: str) -> type[Plugin]:
    return TorchTypes
