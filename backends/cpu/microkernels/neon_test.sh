#!/bin/sh
# Builds the microkernels for AArch64 with a cross compiler, and runs the tests of all ops under an emulator.
#
#   backends/cpu/microkernels/neon_test.sh CMOCKA [TEST...]
#
# CMOCKA is src/cmocka.c in a folder of cmocka's sources. `./bazelw test //backends/cpu/microkernels:neon_test` knows where that is. On
# Debian, the packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user bring the tools.
set -eu

cmocka=$(cd "$(dirname "${1:?src/cmocka.c of cmocka\'s sources}")/.." && pwd)
shift
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

cc="${CC:-aarch64-linux-gnu-gcc} -I. -I$out/include -Iruntime/include -Ikernels/include -I$cmocka/include -std=c11 -Wall -Wextra -pedantic"
loops="-O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-tree-vectorize"
linked="-O2 -DET_CPU_LINKED_PLAIN -DET_CPU_LINKED_NEON"
system="-w -D_GNU_SOURCE -DHAVE_CLOCK_REALTIME -DHAVE_INTTYPES_H -DHAVE_MALLOC_H -DHAVE_SIGNAL_H -DHAVE_STRINGS_H
    -DHAVE_STRUCT_TIMESPEC"

# compile FLAGS PREFIX SOURCES...
compile() {
    flags=$1 prefix=$2
    shift 2
    for source; do
        $cc $flags -c "$source" -o "$out/$prefix$(basename "$source" .c).o"
    done
}

compile "$loops -DET_CPU_ISA_PLAIN" plain_ $(ls backends/cpu/microkernels/*.c | grep -v _test.c)
compile "$loops -DET_CPU_ISA_NEON -march=armv8.2-a+dotprod+fp16" neon_ $(ls backends/cpu/microkernels/*.c | grep -v _test.c)
compile "$linked" op_ $(ls backends/cpu/ops/*.c | grep -v _test.c) "$generated/attribute_ranges.c"
compile "$linked" core_ runtime/core/status.c runtime/core/format.c runtime/core/scalar_type.c
compile "$system" "" "$cmocka/src/cmocka.c"

failed=0
for test in ${*:-backends/cpu/microkernels/*_test.c backends/cpu/ops/*_test.c}; do
    echo "$test"
    $cc $linked -static "$test" "$out"/*.o -lm -o "$out/test"
    ${QEMU:-qemu-aarch64 -cpu max} "$out/test" >"$out/log" 2>&1 || failed=1
    grep -v '^\[ RUN\|^\[       OK' "$out/log"
done
exit $failed
