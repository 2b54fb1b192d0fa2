"""Run a WASI program with the package wasmtime.

    python3 run_wasi.py [--deterministic] PROGRAM ARGUMENT...

The program can read the folders of the files among its arguments. Symbolic links, which WASI
follows only within these folders, are resolved. With --deterministic, relaxed SIMD instructions
have the same results on all machines.
"""

import sys
from pathlib import Path

import wasmtime


def main() -> int:
    options = wasmtime.Config()
    deterministic = sys.argv[1] == "--deterministic"
    options.wasm_relaxed_simd_deterministic = deterministic
    program, *arguments = sys.argv[1 + deterministic :]
    engine = wasmtime.Engine(options)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    config = wasmtime.WasiConfig()
    arguments = [str(Path(text).resolve()) if Path(text).is_file() else text for text in [program, *arguments]]
    config.argv = arguments
    config.inherit_stdout()
    config.inherit_stderr()
    for folder in {str(Path(text).parent) for text in arguments if Path(text).is_file()}:
        config.preopen_dir(folder, folder)
    store.set_wasi(config)
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, program))
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as trap:
        return trap.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
