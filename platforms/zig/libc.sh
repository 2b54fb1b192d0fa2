#!/bin/sh
# libc.sh ZIG OUT FLAG...: builds the target's C and C++ libraries, and archives Zig's cache with them.
set -eu
zig=$1
out=$2
shift 2

cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
export ZIG_LIB_DIR="$zig/lib" ZIG_GLOBAL_CACHE_DIR="$cache" ZIG_LOCAL_CACHE_DIR="$cache"
"$zig/zig" cc "$@" -o "$cache/program"

# Links need the libraries and the startup objects, but not their parts and parsed sources.
rm -rf "$cache/program" "$cache/tmp" "$cache/z"
find "$cache/o" -name '*.o' ! -name '*crt*.o' -delete
tar -cf "$out" --sort=name --owner=0 --group=0 -C "$cache" .
