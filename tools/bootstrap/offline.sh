# Sets `offline_rc`, an rc file for Bazel 7 where the central registry cannot be reached: it takes modules that Debian's Bazel ships.
# The file names the modules where they lie, so that any workspace can use it, and stands in the cache folder, under a name that
# goes with the place of these rules.
write_offline_rc() {
  offline_rc=$cache/offline-$(printf %s "$root" | cksum | cut -d' ' -f1).bazelrc
  mkdir -p "$cache"
  print_offline_rc >"$offline_rc.$$"
  mv "$offline_rc.$$" "$offline_rc"
}

print_offline_rc() {
  echo "common --config=offline"
  # Versions are what Debian ships.
  echo "common:offline --check_direct_dependencies=off"
  # Bazel 7 still reads a WORKSPACE beside the modules, which wants downloads.
  echo "common:offline --noenable_workspace"
  for module in "$root"/third_party/offline/modules/*; do
    echo "common:offline \"--override_module=${module##*/}=$module\""
  done
}
