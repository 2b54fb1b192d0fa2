# Messages of bazelw and other scripts go to standard error; standard output is Bazel's.

say() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
  say "$@"
  exit 1
}
