"""Programs of `tests/fixtures`, rebuilt by this compiler."""

from tests.oracle.rebuilt import delegated, files, methods, networks, quantized, state, tutorial

ALL = {
    **tutorial.PROGRAMS,
    **networks.PROGRAMS,
    **methods.PROGRAMS,
    **state.PROGRAMS,
    **quantized.PROGRAMS,
    **files.PROGRAMS,
    **delegated.PROGRAMS,
}
