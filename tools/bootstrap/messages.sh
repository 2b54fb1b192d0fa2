# What bazelw says goes to standard error: standard output is Bazel's.

say() {
  printf 'bazelw: %s\n' "$*" >&2
}

die() {
  say "$@"
  exit 1
}
