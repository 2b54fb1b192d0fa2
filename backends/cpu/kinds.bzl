"""The kinds of steps that are there: each is a target of //backends/cpu/steps that defines et_cpu_step_<kind>."""

CPU_KINDS = [
    "attention",
    "block",
    "convolution",
    "convolution_i8",
    "copy",
    "depthwise",
    "depthwise_i8",
    "dequantize",
    "embedding",
    "map",
    "map_i64",
    "map_i8",
    "norm",
    "permute",
    "pool",
    "product",
    "quantize",
    "softmax",
    "update",
    "winograd",
]
