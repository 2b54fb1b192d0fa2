#!/bin/sh
echo "$0: this tool is not in the toolchain" >&2
exit 1
