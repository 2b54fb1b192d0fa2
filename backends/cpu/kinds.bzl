"""The kinds of steps that are there: each is a target of //backends/cpu/steps that defines et_cpu_step_<kind>."""

CPU_KINDS = [
    "attention",
    "block",
    "convolution",
    "depthwise",
    "embedding",
    "map",
    "norm",
    "permute",
    "pool",
    "product",
    "softmax",
    "winograd",
]
