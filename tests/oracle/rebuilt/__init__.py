"""The official exporter's programs of `tests/fixtures`, made anew by this compiler from what they are."""

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
