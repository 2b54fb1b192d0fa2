#!/bin/sh
# Runs Zig's C compiler with a cache of its own: a shared cache would miss changes of `.incbin` files.
# ZIG is its folder. For links, LIBC_ARCHIVE is a cache with the C library (libc.sh).
set -eu

cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
[ -z "${LIBC_ARCHIVE:-}" ] || tar -xf "$LIBC_ARCHIVE" -C "$cache"

for argument; do
  shift
  case $argument in
    # Zig has another syntax for CPU features.
    -march=armv8.2-a+dotprod+fp16) argument=-mcpu=generic+v8_2a+dotprod+fullfp16 ;;
  esac
  set -- "$@" "$argument"
done
ZIG_LIB_DIR=$ZIG/lib ZIG_GLOBAL_CACHE_DIR=$cache ZIG_LOCAL_CACHE_DIR=$cache "$ZIG/zig" cc "$@"
