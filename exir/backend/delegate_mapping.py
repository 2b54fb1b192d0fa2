"""The map from a backend's instruction ids to the model's nodes."""

from collections.abc import Mapping
from typing import Any

from torch.fx import Node

from exir.error import UserError


class DelegateMappingBuilder:
    """Maps the instructions of a backend to the nodes that they come from.

    With `generated_identifiers`, the ids are 0, 1, 2, …; otherwise, the backend passes an id for
    each entry (an int or a str, the same type for all).
    """

    def __init__(self, generated_identifiers: bool = False) -> None:
        self._generated = generated_identifiers
        self._entries: dict[Any, tuple[int, ...]] = {}

    def get_delegate_mapping(self) -> Mapping[int, tuple[int, ...]] | Mapping[str, tuple[int, ...]]:
        """Return the sorted debug handles by id, for `PreprocessResult.debug_handle_map`."""
        return dict(self._entries)

    def insert_delegate_mapping_entry(
        self,
        nodes: Node | list[Node] | None = None,
        handles: int | list[int] | None = None,
        identifier: int | str | None = None,
    ) -> int | str:
        """Record one instruction by its nodes or by their debug handles; returns its id."""
        if (nodes is None) == (handles is None):
            raise UserError(
                "delegate mapping: 'nodes' and 'handles' are mutually exclusive; pass only one"
            )
        found = _handles_of_nodes(nodes) if handles is None else _as_list(handles)
        key = self._resolve_identifier(identifier)
        self._entries[key] = tuple(sorted(set(found)))
        return key

    def _resolve_identifier(self, identifier: int | str | None) -> int | str:
        if (identifier is None) != self._generated:
            raise UserError(
                f"delegate mapping: 'identifier' is {identifier!r}; omit it if the builder generates "
                "identifiers, pass it otherwise"
            )
        key = len(self._entries) if identifier is None else identifier
        self._check_identifier(key)
        return key

    def _check_identifier(self, key: int | str) -> None:
        if key in self._entries:
            raise UserError(f"delegate mapping: identifier {key!r} is already in use; choose another")
        other = next(iter(self._entries), key)
        if type(other) is not type(key):
            raise UserError(
                f"delegate mapping: identifiers {other!r} and {key!r} have different "
                "types; use only int or only str"
            )


def _as_list(value: int | list[int]) -> list[int]:
    return [value] if isinstance(value, int) else list(value)


def _handles_of_nodes(nodes: Node | list[Node] | None) -> list[int]:
    """Return the debug handles of `nodes`. Nodes without a handle are skipped."""
    several = [nodes] if isinstance(nodes, Node) else list(nodes or ())
    handles = (node.meta.get("debug_handle") for node in several)
    return [handle for handle in handles if handle is not None]
