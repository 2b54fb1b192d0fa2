"""The configuration of Zig's C libraries.

Output paths contain the configuration, so each instruction set of the CPU backend and each variant of a WebAssembly
module would build the libraries again.
"""

_ISA = "//backends/cpu:isa"
_SAVED = "//bindings/web:saved_options"

def _impl(_settings, _attr):
    return {_ISA: "auto", _SAVED: []}

# Resets the options that differ between variants and that the libraries do not use.
libc_configuration = transition(
    implementation = _impl,
    inputs = [],
    outputs = [_ISA, _SAVED],
)
