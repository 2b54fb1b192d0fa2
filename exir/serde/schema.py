"""The JSON of a serialized program: schema 5.4, which ExecuTorch's tools read.

torch's serializer creates dataclasses of a later schema of the same family. `to_json` omits fields that
5.4 does not have, and renames others. `from_json` is the inverse.
"""

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from torch._export.serde import schema
from torch._export.serde.serialize import (
    _SERIALIZE_TO_TORCH_DTYPE,
    _TORCH_TO_SERIALIZE_DTYPE,
    _dict_to_dataclass,
)
from torch._export.serde.union import _Union

from exir.error import UserError
from exir.serde.dtypes import dtype_number, torch_dtype
from exir.serde.stand_ins import DEBUG_HANDLE

VERSION = (5, 4)

_NO_FIELD: Mapping[type, frozenset[str]] = {
    schema.ExportedProgram: frozenset({"torch_version", "guards_code"}),
    schema.Graph: frozenset({"sym_float_values"}),
    schema.GraphModule: frozenset({"metadata", "treespec_namedtuple_fields"}),
    schema.ModuleCallSignature: frozenset({"forward_arg_names"}),
    schema.NamedArgument: frozenset({"kind"}),
    schema.Node: frozenset({"is_hop_single_tensor_return"}),
}
_NO_KIND = frozenset(
    {"as_complex", "as_float_lists", "as_int_lists", "as_nested_tensors", "as_string_to_argument"}
    | {"as_sym_float", "as_sym_floats", "parameter_mutation"}
)

# This project's prefix → the prefix in schema 5.4, for operators that torch does not have.
_PREFIXES = {
    "#edge:": "executorch.exir.dialects.edge.ops.",
    "#backend:": "executorch.exir.dialects.backend.ops.",
}
_ALLOC, _ALLOC_LIST, _VIEW = "#memory:alloc", "#memory:alloc_list", "#memory:view"
_OFFICIAL_ALLOC, _OFFICIAL_VIEW = "memory.alloc", "executorch.exir.memory.view"
_HIGHER_ORDER = "torch.ops.higher_order."
_DELEGATE_CALL = _HIGHER_ORDER + "executorch_call_delegate"


def to_json(program: schema.ExportedProgram) -> bytes:
    """Return `program` as JSON. Raises `UserError` for unsupported values."""
    return json.dumps(to_dict(program)).encode()


def to_dict(program: schema.ExportedProgram) -> dict[str, Any]:
    """Return the dictionary that `to_json` writes."""
    version = schema.SchemaVersion(*VERSION)
    plain = _to_dict(dataclasses.replace(program, schema_version=version))
    assert isinstance(plain, dict)
    return plain


def _to_dict(value: Any) -> Any:
    """Convert dataclasses to dictionaries."""
    if isinstance(value, _Union):
        return _plain_union(value)
    if isinstance(value, schema.RangeConstraint):
        return _plain_range(value)
    if isinstance(value, schema.Node):
        return _plain_node(value)
    if dataclasses.is_dataclass(value):
        return _dataclass_fields(value)
    if isinstance(value, (list, tuple)):
        return [_to_dict(item) for item in value]
    if isinstance(value, dict):
        return {key: _to_dict(item) for key, item in value.items()}
    return _plain_enum(value) if isinstance(value, Enum) else value


def _dataclass_fields(value: Any) -> dict[str, Any]:
    dropped = _NO_FIELD.get(type(value), frozenset())
    names = [field.name for field in dataclasses.fields(value) if field.name not in dropped]
    return {name: _to_dict(getattr(value, name)) for name in names}


def _plain_enum(value: Enum) -> Any:
    is_dtype = isinstance(value, schema.ScalarType)
    return dtype_number(_SERIALIZE_TO_TORCH_DTYPE[value]) if is_dtype else value.value


def _plain_union(value: _Union) -> dict[str, Any]:
    kind = str(value.type)
    if kind in _NO_KIND:
        raise UserError(
            f"serialized programs cannot store values of kind '{kind}'; lower the program before saving"
        )
    if kind == "as_optional_tensor":
        return _plain_union(value.value)
    return {kind: [] if kind == "as_none" else _to_dict(value.value)}


def _plain_range(value: schema.RangeConstraint) -> dict[str, Any]:
    least, most = value.min_val, value.max_val
    return {
        "min_val": -math.inf if least is None else least,
        "max_val": math.inf if most is None else most,
    }


def _plain_node(node: schema.Node) -> dict[str, Any]:
    plain = _dataclass_fields(node)
    plain["target"] = _official_target(node.target)
    plain["inputs"] = _official_inputs(node.target, plain["inputs"])
    plain["metadata"] = _official_metadata(node.metadata)
    if (
        node.is_hop_single_tensor_return is False
        and len(node.outputs) == 1
        and node.outputs[0].type == "as_tensor"
    ):
        plain["outputs"] = [{"as_tensors": [plain["outputs"][0]["as_tensor"]]}]
    return plain


def _official_target(target: str) -> str:
    if target in (_ALLOC, _ALLOC_LIST):
        return _OFFICIAL_ALLOC
    if target == _VIEW:
        return _OFFICIAL_VIEW
    return _replace_prefix(target, _PREFIXES)


def _replace_prefix(target: str, prefixes: Mapping[str, str]) -> str:
    for prefix, other in prefixes.items():
        if target.startswith(prefix):
            return other + target.removeprefix(prefix)
    return target


def _official_inputs(target: str, inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if target == _VIEW:
        return [{**input_, "name": ""} for input_ in inputs]
    if target == _ALLOC_LIST:
        texts = inputs[0]["arg"]["as_strings"]
        return [{"name": "alloc_list", "arg": {"as_string": text}} for text in texts]
    if target == _DELEGATE_CALL:
        name, module, *operands = (input_["arg"] for input_ in inputs)
        names = [name["as_string"], *(f"delegate_arg_{i}" for i in range(len(operands)))]
        return [
            {"name": argument_name, "arg": arg} for argument_name, arg in zip(names, [module, *operands])
        ]
    return inputs


def _official_metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    """Move the debug handle to a separate entry."""
    custom = json.loads(metadata.get("custom", "{}"))
    handle = {DEBUG_HANDLE: str(custom.pop(DEBUG_HANDLE))} if DEBUG_HANDLE in custom else {}
    rest = {"custom": json.dumps(custom)} if custom else {}
    others = {key: value for key, value in metadata.items() if key != "custom"}
    return {**others, **rest, **handle}


def from_json(text: bytes) -> schema.ExportedProgram:
    """Return the program of a JSON text. Raises `UserError` for a different version."""
    return from_dict(json.loads(text))


def from_dict(plain: dict[str, Any]) -> schema.ExportedProgram:
    """Return the program of a dictionary, for `from_json`."""
    major = plain["schema_version"]["major"]
    if major != VERSION[0]:
        raise UserError(f"serialized program of schema {major}; only schema {VERSION[0]} is supported")
    program = _dict_to_dataclass(schema.ExportedProgram, plain)
    assert isinstance(program, schema.ExportedProgram)
    for item in _nested_dataclasses(program):
        _to_torch(item)
    return program


def _nested_dataclasses(value: Any) -> Iterator[Any]:
    """Yield `value` and all dataclasses in it, outermost first."""
    if isinstance(value, _Union):
        yield value
        yield from _nested_dataclasses(value.value)
    elif dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from _nested_dataclasses(getattr(value, field.name))
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _nested_dataclasses(item)


def _to_torch(value: Any) -> None:
    if isinstance(value, schema.TensorMeta):
        value.dtype = _TORCH_TO_SERIALIZE_DTYPE[torch_dtype(value.dtype)]
    elif isinstance(value, schema.Argument) and value.type == "as_scalar_type":
        value.as_scalar_type = _TORCH_TO_SERIALIZE_DTYPE[torch_dtype(value.as_scalar_type)]
    elif isinstance(value, schema.Node):
        _node_to_torch(value)


def _node_to_torch(node: schema.Node) -> None:
    node.target, node.inputs = _torch_call(node.target, node.inputs)
    if node.target.startswith(_HIGHER_ORDER):
        # An operator that returns a tuple of one has outputs of the kind as_tensors.
        node.is_hop_single_tensor_return = True
    if DEBUG_HANDLE in node.metadata:
        custom = json.loads(node.metadata.get("custom", "{}"))
        handle = json.loads(node.metadata.pop(DEBUG_HANDLE))
        node.metadata["custom"] = json.dumps({**custom, DEBUG_HANDLE: handle})


def _torch_call(
    target: str, inputs: list[schema.NamedArgument]
) -> tuple[str, list[schema.NamedArgument]]:
    if target == _OFFICIAL_VIEW:
        return _VIEW, [
            schema.NamedArgument(name, input_.arg) for name, input_ in zip(("base", "size"), inputs)
        ]
    if target == _OFFICIAL_ALLOC and inputs[0].name == "alloc_list":
        texts = schema.Argument.create(as_strings=[input_.arg.value for input_ in inputs])
        return _ALLOC_LIST, [schema.NamedArgument("alloc_list", texts)]
    if target == _OFFICIAL_ALLOC:
        return _ALLOC, inputs
    if target == _DELEGATE_CALL:
        name = schema.NamedArgument("", schema.Argument.create(as_string=inputs[0].name))
        return target, [name, *(schema.NamedArgument("", input_.arg) for input_ in inputs)]
    return _replace_prefix(target, {other: prefix for prefix, other in _PREFIXES.items()}), inputs
