# Sets `flags` (an rc file for the Bazel found, or nothing) and `flags_reason`.

choose_flags() {
  flags=
  flags_reason=
  if [ "${version%%.*}" = 4 ]; then
    flags=--bazelrc=$root/third_party/offline/bazel4.bazelrc
  elif [ "$debian" = yes ] && ! registry_reachable; then
    flags=--bazelrc=$root/third_party/offline/bazel7.bazelrc
    flags_reason="; --config=offline, as the central registry cannot be reached"
  fi
}
