# Sets `flags` (an rc file for the Bazel, or nothing), `tmp_flags` (an rc file for folders below
# /tmp, or nothing) and `flags_reason`.

choose_flags() {
  flags=
  tmp_flags=
  flags_reason=
  if [ "${version%%.*}" = 4 ]; then
    flags=--bazelrc=$root/third_party/offline/bazel4.bazelrc
  elif [ "$debian" = yes ] && ! registry_reachable; then
    write_offline_rc
    flags=--bazelrc=$offline_rc
    flags_reason="; --config=offline, because the central registry cannot be reached"
  fi
  if is_below_tmp "$root" || is_below_tmp "$cache"; then
    tmp_flags=--bazelrc=$bootstrap/below_tmp.bazelrc
  fi
}

# Checks both forms of the path, because a cache folder that does not exist yet may have no
# canonical path.
is_below_tmp() {
  case $1:$(readlink -f "$1") in
  /tmp/* | *:/tmp/*) return 0 ;;
  *) return 1 ;;
  esac
}
