# Sets `offline_rc`, an rc file for Bazel 7 without the central registry. Bazel then uses the
# modules that Debian's Bazel includes. The rc file contains absolute paths of the modules, so that
# other workspaces can use it too. It is in the cache folder, and its name depends on the path of
# these rules.
write_offline_rc() {
  offline_rc=$cache/offline-$(printf %s "$root" | cksum | cut -d' ' -f1).bazelrc
  mkdir -p "$cache"
  print_offline_rc >"$offline_rc.$$"
  mv "$offline_rc.$$" "$offline_rc"
}

print_offline_rc() {
  echo "common --config=offline"
  # Versions are those of Debian's packages.
  echo "common:offline --check_direct_dependencies=off"
  # Bazel 7 still reads a WORKSPACE in addition to modules, and would download its dependencies.
  echo "common:offline --noenable_workspace"
  for module in "$root"/third_party/offline/modules/*; do
    echo "common:offline \"--override_module=${module##*/}=$module\""
  done
  # Bazel rejects an override of a module that the workspace does not use, so modules that only some
  # workspaces use are in a registry.
  echo "common:offline --registry=file://$(url_path "$root/third_party/offline/registry")"
}

# url_path PATH: prints the path with percent-encoded spaces and percent signs.
url_path() {
  printf %s "$1" | sed 's/%/%25/g; s/ /%20/g'
}
