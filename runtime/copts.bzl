"""How the runtime is compiled."""

RUNTIME_COPTS = [
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-pedantic",
    "-O2",
]

TEST_COPTS = RUNTIME_COPTS
