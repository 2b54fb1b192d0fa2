#!/bin/sh
# Builds the CPU and XNNPACK backends with a cross compiler, and runs the tests of microkernels, ops and runtimes in an
# emulator.
#
#   backends/cpu/microkernels/cross_test.sh (aarch64 | armv7) CMOCKA [TEST...]
#   backends/cpu/microkernels/cross_test.sh wasm32 CMOCKA ZIG WASMTIME [TEST...]
#
# aarch64 tests the NEON microkernels. armv7 tests arithmetic on sizes, which have 32 bits there; it has only the plain
# microkernels. CMOCKA is src/cmocka.c in a folder of cmocka's sources. `./bazelw test
# //backends/cpu/microkernels:neon_test` (or armv7_test) knows where that is. The Debian packages are
# gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-user.
#
# wasm32 tests the plain microkernels and those of WebAssembly in one program, which wasmtime runs twice: with the
# relaxed instructions of this machine's processor, and with deterministic ones. The relaxed dot products of
# wasm_relaxed_dot are emulated (wasm_dot.h): wasmtime's are not exact for 8-bit operands. ZIG is the program of Zig,
# WASMTIME is __init__.py of the Python package wasmtime.
set -eu

machine=$1
cmocka=$(cd "$(dirname "${2:?src/cmocka.c of cmocka\'s sources}")/.." && pwd)
shift 2
root=$(cd "$(dirname "$0")/../../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$root"

# Bazel provides the generated files. Without Bazel, generate them.
generated=backends/cpu/schema
if [ ! -e "$generated/records.h" ]; then
    generated=$out/include/backends/cpu/schema
    mkdir -p "$generated"
    tools/python -m backends.cpu.schema.codegen.c_headers --folder "$generated"
fi

system="-w -D_GNU_SOURCE -DHAVE_INTTYPES_H -DHAVE_MALLOC_H -DHAVE_SIGNAL_H -DHAVE_STRINGS_H -DHAVE_STRUCT_TIMESPEC"
case $machine in
    aarch64)
        cc=${CC:-aarch64-linux-gnu-gcc}
        link=-static
        emulator=${QEMU:-qemu-aarch64 -cpu max}
        linked="-O2 -DET_CPU_LINKED_PLAIN -DET_CPU_LINKED_NEON"
        optimized=-O3
        system="$system -DHAVE_CLOCK_REALTIME"
        ;;
    armv7)
        # Newlib's system calls are semihosting calls, which qemu-arm handles. It lacks posix_memalign.
        cc=${CC:-arm-none-eabi-gcc -march=armv7-a -mfpu=vfpv3-d16 -mfloat-abi=hard --specs=rdimon.specs}
        emulator=${QEMU:-qemu-arm}
        linked="-O1 -DET_CPU_LINKED_PLAIN"
        link=
        optimized=-O1 # -O3 takes minutes
        cat >"$out/memalign.c" <<END
#include <malloc.h>
int posix_memalign(void **memory, size_t alignment, size_t size);
int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory == 0;
}
END
        ;;
    wasm32)
        export ZIG_GLOBAL_CACHE_DIR="$out/zig" ZIG_LOCAL_CACHE_DIR="$out/zig"
        PYTHONPATH=$(dirname "$(dirname "${2:?__init__.py of wasmtime}")")
        export PYTHONPATH
        cc="$1 cc -target wasm32-wasi -fno-sanitize=undefined -Wno-gnu-zero-variadic-macro-arguments"
        system="$system -D_WASI_EMULATED_SIGNAL"
        link="-lwasi-emulated-signal -Wl,-z,stack-size=1048576"
        emulator="python3 -B tools/ci/run_wasi.py"
        linked="-O2 -DET_CPU_LINKED_PLAIN -DET_CPU_LINKED_WASM_SIMD128 -DET_CPU_LINKED_WASM_RELAXED_SIMD"
        linked="$linked -DET_CPU_LINKED_WASM_RELAXED_DOT"
        optimized=-O3
        shift 2
        # A failed test ends the program, because WASI has no longjmp.
        mkdir -p "$out/include"
        cat >"$out/include/setjmp.h" <<END
#include <stdlib.h>
typedef int jmp_buf[1];
#define setjmp(buffer) ((void)(buffer), 0)
#define longjmp(buffer, value) abort()
END
        ;;
    *)
        echo "$0: unknown machine '$machine'" >&2
        exit 1
        ;;
esac
cc="$cc -I. -I$out/include -Iruntime/include -Ikernels/include -I$cmocka/include -std=c11 -Wall -Wextra -pedantic"
loops="$optimized -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-tree-vectorize"

# compile FLAGS PREFIX SOURCES...: compiles on all processors.
compile() {
    flags=$1 prefix=$2
    shift 2
    for source; do
        echo "$cc $flags -c $source -o $out/$prefix$(basename "$source" .c).o"
    done | xargs -P "$(nproc)" -d '\n' -n 1 sh -c
}

# sources FOLDER: lists the sources without tests.
sources() {
    ls "$1"/*.c | grep -v _test.c
}

# compile_dot SIGNED FOLDER: compiles the objects with relaxed dot products, whose second operand is signed (1) or not (0).
compile_dot() {
    emulated="-include backends/cpu/microkernels/wasm_dot.h -DDOT_IS_SIGNED=$1"
    mkdir "$out/$2"
    compile "$loops -DET_CPU_ISA_WASM_RELAXED_DOT $relaxed $emulated" "$2/dot_" $(int8_sources)
    compile "$linked $relaxed $emulated" "$2/runtime_" backends/cpu/runtime/isa.c
}

# int8_sources: lists the sources with int8 dot products (BUILD.bazel).
int8_sources() {
    sed -n '/int8_srcs = \[/,/\]/s|^ *"\(.*\)",|backends/cpu/microkernels/\1|p' backends/cpu/microkernels/BUILD.bazel
}

compile "$loops -DET_CPU_ISA_PLAIN" plain_ $(sources backends/cpu/microkernels)
case $machine in
    aarch64)
        compile "$loops -DET_CPU_ISA_NEON -march=armv8.2-a+dotprod+fp16" neon_ $(sources backends/cpu/microkernels)
        ;;
    wasm32)
        relaxed="-msimd128 -mrelaxed-simd"
        compile "$loops -DET_CPU_ISA_WASM_SIMD128 -msimd128" simd128_ $(sources backends/cpu/microkernels)
        compile "$loops -DET_CPU_ISA_WASM_RELAXED_SIMD $relaxed" relaxed_ $(sources backends/cpu/microkernels)
        compile_dot 0 unsigned
        compile_dot 1 signed
        ;;
esac
compile "$linked" op_ $(sources backends/cpu/ops) "$generated/attribute_ranges.c"
compile "$linked" runtime_ $(sources backends/cpu/runtime) $(sources backends/cpu/runtime/testing)
compile "$linked" xnnpack_ $(sources backends/xnnpack/runtime)
[ "$machine" != wasm32 ] || rm "$out/runtime_isa.o" # compile_dot compiles it
compile "$linked" core_ $(sources runtime/core)
compile "$linked" program_ $(sources runtime/program)
compile "$system" "" "$cmocka/src/cmocka.c" $(ls "$out"/*.c 2>/dev/null)

# run TEST OBJECTS EMULATOR...: links a test with more objects, and runs it.
run() {
    test=$1 objects=$2
    shift 2
    $cc $linked "$test" "$out"/*.o $objects $link -lm -o "$out/test"
    "$@" "$out/test" >"$out/log" 2>&1 || failed=1
    grep -v '^\[ RUN\|^\[       OK' "$out/log" || :
}

failed=0
tests="backends/cpu/microkernels/*_test.c backends/cpu/ops/*_test.c backends/*/runtime/*_test.c"
for test in ${*:-$tests}; do
    echo "$test"
    if [ "$machine" = wasm32 ]; then
        run "$test" "$(echo "$out"/signed/*.o)" $emulator
        run "$test" "$(echo "$out"/unsigned/*.o)" $emulator --deterministic
    else
        run "$test" "" $emulator
    fi
done
exit $failed
