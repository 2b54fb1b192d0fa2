#!/bin/sh
# compile_objects.sh LIST COMPILER [FLAG...]: compiles several sources, each to its own object.
#
# LIST has three lines for each source: the source, its object, and its number in error codes
# (ET_FILE_ID in status.h). After an error, the other sources are still compiled, so that one run
# shows all errors.
list=$1
shift
failed=0
while read -r source && read -r object && read -r number; do
  "$@" "-DET_FILE_ID=$number" -c "$source" -o "$object" </dev/null || failed=1
done <"$list"
exit $failed
