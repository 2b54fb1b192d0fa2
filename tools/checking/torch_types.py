"""A plugin for mypy: torch's types as far as they say something.

Torch types the arguments of an FX node as a union of some twenty kinds, a node's target as callable or name, and whatever
a module holds as tensor or module. Which of them it is follows from the operator or the module at hand, which no type
says; taken at their word, each use would need a cast. Here they are Any, and everything else stays as torch types it.
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
    """Any for what only the module's `__getattr__` answers: parameters, buffers, modules within."""

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
