"""Names of dtypes in the official operator tables."""

import torch

regular_tensor_dtypes_to_str = {
    torch.bool: "Bool",
    torch.uint8: "Byte",
    torch.int8: "Char",
    torch.int16: "Short",
    torch.int32: "Int",
    torch.int64: "Long",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.float32: "Float",
    torch.float64: "Double",
    torch.uint16: "UInt16",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
}
quantized_tensor_dtypes_to_str = {torch.qint8: "QINT8", torch.quint8: "QUINT8"}
regular_tensor_str_to_dtypes = {name: dtype for dtype, name in regular_tensor_dtypes_to_str.items()}
quantized_tensor_str_to_dtypes = {name: dtype for dtype, name in quantized_tensor_dtypes_to_str.items()}
