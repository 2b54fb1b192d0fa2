# Programs of the system that a build here needs: installed when bazelw runs as root on Debian, else named.

check_prerequisites() {
  require python3 python3
  # Bazel links with the C++ library of the compiler, also C programs.
  [ -n "${CC:-}" ] || require g++ g++
}

# require PROGRAM PACKAGE
require() {
  has "$1" && return
  install_package "$2" || die "this machine has no '$1'. Install it (Debian: apt-get install $2) and start again."
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# install_package PACKAGE: fails without a word if this is no Debian or the user not root.
install_package() {
  has apt-get && [ "$(id -u)" = 0 ] || return 1
  say "installing Debian's package $1"
  apt-get -qq update >&2 &&
    DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "$1" </dev/null >&2
}
