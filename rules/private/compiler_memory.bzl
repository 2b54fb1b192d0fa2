"""CPU and memory of a compile action, for Bazel's scheduling of local actions."""

def _resources_1(_os, _inputs):
    return {"cpu": 1, "memory": 1000}

def _resources_2(_os, _inputs):
    return {"cpu": 1, "memory": 2000}

def _resources_4(_os, _inputs):
    return {"cpu": 1, "memory": 4000}

def _resources_8(_os, _inputs):
    return {"cpu": 1, "memory": 8000}

def _resources_16(_os, _inputs):
    return {"cpu": 1, "memory": 16000}

def _resources_32(_os, _inputs):
    return {"cpu": 1, "memory": 32000}

# By gigabytes of memory. Bazel accepts only top-level functions as resource_set, so each size has
# its own function.
COMPILER_RESOURCES = {
    1: _resources_1,
    2: _resources_2,
    4: _resources_4,
    8: _resources_8,
    16: _resources_16,
    32: _resources_32,
}
