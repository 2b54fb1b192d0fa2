# Finds a Bazel. Sets `bazel` (program), `version` (release), `debian` (yes for Debian's builds) and
# `reason`.

find_bazel() {
  use_requested || use_prepared || use_from_path || prepare_debian7 || use_debian4 ||
    die "found no Bazel and could prepare none; install bazelisk or Bazel 7, or set BAZEL"
}

use_requested() {
  [ -n "${BAZEL:-}" ] || return 1
  bazel=$(command -v "$BAZEL") || die "BAZEL=$BAZEL is not a program"
  examine "$bazel" || die "BAZEL=$BAZEL does not run"
  reason="from BAZEL"
}

prepared=$cache/bazel-7.r1

use_prepared() {
  [ -e "$prepared/ready" ] || return 1
  bazel=$prepared/bazel
  version=$(cat "$prepared/ready")
  debian=yes
  reason="Debian's, prepared in $prepared"
}

use_from_path() {
  for name in bazelisk bazel; do
    bazel=$(command -v "$name") && [ "$(readlink -f "$bazel")" != "$root/tools/bazel" ] || continue
    examine "$bazel" && is_suitable && reason="$name from the PATH" && return
  done
  return 1
}

# Releases other than Debian's do not include modules, so they need the central registry.
is_suitable() {
  [ "${version%%.*}" -ge 7 ] && { [ $debian = yes ] || registry_reachable; }
}

prepare_debian7() {
  has apt-get || return 1
  say "preparing Debian's Bazel 7 in $prepared (200 MB to download, 500 MB on disk)"
  PYTHONPATH=$root/rules/private/repository python3 -B "$bootstrap/prepare_bazel7.py" "$prepared" && use_prepared
}

use_debian4() {
  [ -n "$(debian_bazel)" ] || install_package bazel-bootstrap || return 1
  examine "$(debian_bazel)" && reason="Debian's own, because no newer one is available"
}

debian_bazel() {
  dpkg-query --listfiles bazel-bootstrap 2>/dev/null | grep '/bin/bazel-[0-9]' | head -n 1
}

# examine PROGRAM: fails if it does not run.
examine() {
  bazel=$(behind_launcher "$1")
  # bazelisk downloads a release here.
  version=$(timeout 300 "$bazel" --version 2>/dev/null) || return 1
  version=${version#* }
  debian=no
  package_version=$(debian_package_version "$bazel") || return 0
  debian=yes
  [ "$version" != no_version ] || version=$package_version
}

# Debian's /usr/bin/bazel is a script that runs tools/bazel first. The program is next to it.
behind_launcher() {
  if [ "$(head -c 2 "$1")" = "#!" ]; then
    for program in "$1"-[0-9]*; do
      [ -x "$program" ] && echo "$program" && return
    done
  fi
  echo "$1"
}

# Debian's builds do not always know their version, but the package does.
debian_package_version() {
  has dpkg-query && owner=$(dpkg-query --search "$(readlink -f "$1")" 2>/dev/null) || return 1
  dpkg-query --show --showformat '${source:Upstream-Version}' "${owner%%:*}"
}
