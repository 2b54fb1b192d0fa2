"""Targets of Zig's C compiler.

`headers` are the folders of Zig's lib/libc/include that the target's C library has.
"""

_GLIBC = "//platforms:glibc"
_MUSL = "//platforms:musl"

def _linux(zig_cpu, cpu, family, abi_suffix = ""):
    constraints = ["@platforms//cpu:" + cpu, "@platforms//os:linux"]
    kernel_headers = [family + "-linux-any", "any-linux-any"]
    return {
        # The version of glibc is the oldest that programs run with.
        "linux_%s_glibc" % cpu: dict(
            constraints = constraints + [_GLIBC],
            headers = [family + "-linux-gnu", "generic-glibc"] + kernel_headers,
            triple = "%s-linux-gnu%s.2.28" % (zig_cpu, abi_suffix),
        ),
        "linux_%s_musl" % cpu: dict(
            constraints = constraints + [_MUSL],
            headers = [zig_cpu + "-linux-musl", "generic-musl"] + kernel_headers,
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
        headers = ["any-windows-any"],
        linkopts = ["-s"],
        triple = cpu + "-windows-gnu",
    )}

def _macos(name, cpu):
    return {"macos_" + name: dict(
        constraints = ["@platforms//cpu:" + cpu, "@platforms//os:osx"],
        headers = ["any-darwin-any"],
        triple = cpu + "-macos",
    )}

def _wasm(constraints, flags = []):
    return dict(
        constraints = ["@platforms//cpu:wasm32", "@platforms//os:wasi"] + constraints,
        # In builds without optimization, Zig would add stack protectors. Their initialization imports a
        # function for random numbers, which pages do not provide.
        copts = flags + ["-fno-stack-protector"],
        executable_extension = ".wasm",
        headers = ["wasm-wasi-musl", "generic-musl"],
        linkopts = flags,
        triple = "wasm32-wasi",
    )

_LISTS = [
    _linux("x86_64", "x86_64", "x86"),
    _linux("aarch64", "aarch64", "aarch64"),
    _linux("arm", "armv7", "arm", "eabihf"),
    _linux("riscv64", "riscv64", "riscv"),
    _windows("x86_64"),
    _windows("aarch64"),
    _macos("x86_64", "x86_64"),
    _macos("arm64", "aarch64"),
    {"wasm32_wasi": _wasm(["//platforms:wasm_single_thread"])},
    {"wasm32_wasi_threads": _wasm(["//platforms:wasm_threads"], ["-mcpu=generic+atomics+bulk_memory"])},
]

# Arguments of `zig_toolchain` by the name of the platform.
ZIG_TARGETS = {name: target for targets in _LISTS for name, target in targets.items()}

# All folders of lib/libc/include.
ZIG_HEADERS = sorted({folder: None for target in ZIG_TARGETS.values() for folder in target["headers"]})
