#!/bin/sh
# compile_objects.sh LIST COMPILER [FLAG...]: compiles several sources, each to an object of its own.
#
# LIST has a source and its object in turn, one a line. All are compiled, so that one run shows the errors of all.
list=$1
shift
failed=0
while read -r source && read -r object; do
  "$@" -c "$source" -o "$object" </dev/null || failed=1
done <"$list"
exit $failed
