#!/bin/sh
# compile_objects.sh LIST COMPILER [FLAG...]: compiles several sources, each to its own object.
#
# The lines of LIST are alternately a source and its object. After an error, the other sources are
# still compiled, so that one run shows all errors.
list=$1
shift
failed=0
while read -r source && read -r object; do
  "$@" -c "$source" -o "$object" </dev/null || failed=1
done <"$list"
exit $failed
