"""Targets of Zig's C compiler."""

_GLIBC = "//platforms:glibc"
_MUSL = "//platforms:musl"

def _linux(zig_cpu, cpu, abi_suffix = ""):
    constraints = ["@platforms//cpu:" + cpu, "@platforms//os:linux"]
    return {
        # The version of glibc is the oldest that programs run with.
        "linux_%s_glibc" % cpu: dict(
            constraints = constraints + [_GLIBC],
            triple = "%s-linux-gnu%s.2.28" % (zig_cpu, abi_suffix),
        ),
        "linux_%s_musl" % cpu: dict(
            constraints = constraints + [_MUSL],
            triple = "%s-linux-musl%s" % (zig_cpu, abi_suffix),
        ),
    }

def _windows(cpu):
    return {"windows_" + cpu: dict(
        constraints = ["@platforms//cpu:" + cpu, "@platforms//os:windows"],
        # Debug information is not reproducible: it contains names of temporary files, and links
        # add a random identifier.
        copts = ["-s"],
        executable_extension = ".exe",
        linkopts = ["-s"],
        triple = cpu + "-windows-gnu",
    )}

def _macos(name, cpu):
    return {"macos_" + name: dict(
        constraints = ["@platforms//cpu:" + cpu, "@platforms//os:osx"],
        triple = cpu + "-macos",
    )}

_LISTS = [
    _linux("x86_64", "x86_64"),
    _linux("aarch64", "aarch64"),
    _linux("arm", "armv7", "eabihf"),
    _linux("riscv64", "riscv64"),
    _windows("x86_64"),
    _windows("aarch64"),
    _macos("x86_64", "x86_64"),
    _macos("arm64", "aarch64"),
    {"wasm32_wasi": dict(
        constraints = ["@platforms//cpu:wasm32", "@platforms//os:wasi"],
        executable_extension = ".wasm",
        triple = "wasm32-wasi",
    )},
]

# Arguments of `zig_toolchain` by the name of the platform.
ZIG_TARGETS = {name: target for targets in _LISTS for name, target in targets.items()}
