"""Java types of inputs and outputs."""

from rules.interface.description import Range, Slot

API = "org.executorch.bazel"

# For the compiler of Kotlin.
NOT_NULL = "@org.jetbrains.annotations.NotNull "

# dtype: (element of arrays, start of the buffer's name).
_ELEMENTS = {
    "uint8": ("byte", "Byte"),
    "int8": ("byte", "Byte"),
    "int16": ("short", "Short"),
    "int32": ("int", "Int"),
    "int64": ("long", "Long"),
    "float16": ("short", "Short"),
    "float32": ("float", "Float"),
    "float64": ("double", "Double"),
    "complex64": ("float", "Float"),
    "complex128": ("double", "Double"),
    "bool": ("boolean", "Byte"),
    "bfloat16": ("short", "Short"),
    "uint16": ("short", "Short"),
    "uint32": ("int", "Int"),
    "uint64": ("long", "Long"),
}

# kind of an output: (Java type, function of `Outputs`).
SCALARS = {
    "int": ("long", "getInt"),
    "bool": ("boolean", "getBool"),
    "double": ("double", "getDouble"),
    "string": ("java.lang.String", "getString"),
}


def element_type(slot: Slot) -> str:
    return _ELEMENTS[slot.dtype][0]


def buffer_type(slot: Slot) -> str:
    return f"java.nio.{_ELEMENTS[slot.dtype][1]}Buffer"


def dtype_constant(slot: Slot) -> str:
    return f"{API}.Dtype.{slot.dtype.upper()}"


def element_count(slot: Slot) -> int:
    """Return the number of Java elements. A complex number is two."""
    return slot.count * (2 if slot.dtype.startswith("complex") else 1)


def is_shaped(slot: Slot) -> bool:
    """Return true if the sizes do not follow from the number of elements."""
    dynamic = sum(isinstance(size, Range) for size in slot.sizes)
    return slot.is_dynamic and (dynamic != 1 or 0 in slot.sizes)


def describe(slot: Slot) -> str:
    if slot.kind != "tensor":
        return str(slot.range or slot.kind)
    return f"{slot.dtype} [{', '.join(slot.size_texts)}]"


def not_null(type_: str) -> str:
    """Return a type with its annotation. Primitive types have none."""
    return type_ if type_ in ("void", "long", "boolean", "double") else NOT_NULL + type_


def output_type(slot: Slot) -> str:
    return f"{API}.Tensor<{element_type(slot)}[]>" if slot.kind == "tensor" else SCALARS[slot.kind][0]
