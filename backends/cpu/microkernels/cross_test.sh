#!/bin/sh
# Builds the CPU and XNNPACK backends with a cross compiler, and runs the tests of microkernels, ops and runtimes in an
# emulator.
#
#   backends/cpu/microkernels/cross_test.sh (aarch64 | armv7) CMOCKA [TEST...]
#
# aarch64 tests the NEON microkernels. armv7 tests arithmetic on sizes, which have 32 bits there; it has only the plain
# microkernels. CMOCKA is src/cmocka.c in a folder of cmocka's sources. `./bazelw test
# //backends/cpu/microkernels:neon_test` (or armv7_test) knows where that is. The Debian packages are
# gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-user.
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
    *)
        echo "$0: unknown machine '$machine'" >&2
        exit 1
        ;;
esac
cc="$cc -I. -I$out/include -Iruntime/include -Ikernels/include -I$cmocka/include -std=c11 -Wall -Wextra -pedantic"
loops="$optimized -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-tree-vectorize"

# compile FLAGS PREFIX SOURCES...
compile() {
    flags=$1 prefix=$2
    shift 2
    for source; do
        $cc $flags -c "$source" -o "$out/$prefix$(basename "$source" .c).o"
    done
}

# sources FOLDER: lists the sources without tests.
sources() {
    ls "$1"/*.c | grep -v _test.c
}

compile "$loops -DET_CPU_ISA_PLAIN" plain_ $(sources backends/cpu/microkernels)
[ "$machine" != aarch64 ] ||
    compile "$loops -DET_CPU_ISA_NEON -march=armv8.2-a+dotprod+fp16" neon_ $(sources backends/cpu/microkernels)
compile "$linked" op_ $(sources backends/cpu/ops) "$generated/attribute_ranges.c"
compile "$linked" runtime_ $(sources backends/cpu/runtime) $(sources backends/cpu/runtime/testing)
compile "$linked" xnnpack_ $(sources backends/xnnpack/runtime)
compile "$linked" core_ $(sources runtime/core)
compile "$linked" program_ $(sources runtime/program)
compile "$system" "" "$cmocka/src/cmocka.c" $(ls "$out"/*.c 2>/dev/null)

failed=0
tests="backends/cpu/microkernels/*_test.c backends/cpu/ops/*_test.c backends/*/runtime/*_test.c"
for test in ${*:-$tests}; do
    echo "$test"
    $cc $linked $link "$test" "$out"/*.o -lm -o "$out/test"
    $emulator "$out/test" >"$out/log" 2>&1 || failed=1
    grep -v '^\[ RUN\|^\[       OK' "$out/log" || :
done
exit $failed
