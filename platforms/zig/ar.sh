#!/bin/sh
exec "$ZIG/zig" ar "$@"
