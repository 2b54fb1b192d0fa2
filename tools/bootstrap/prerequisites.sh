# System programs that a build needs. They are installed if bazelw runs as root on Debian;
# otherwise, an error names them.

check_prerequisites() {
  require python3 python3
  require_certificates
  # Bazel links with the compiler's C++ library, C programs as well.
  [ -n "${CC:-}" ] || require g++ g++
  offer_libpython
}

# The official ExecuTorch package, with which some tests compare, loads Python as a library.
# Debian's python3 does not include the library. It is optional: these tests are run by name only,
# and report that it is missing.
offer_libpython() {
  ls /usr/lib/*/libpython3.11.so.1.0 >/dev/null 2>&1 || install_package libpython3.11 || :
}

# Debian's pip and Java use the system's certificates, which a minimal installation does not have.
require_certificates() {
  [ -n "${SSL_CERT_FILE:-}" ] || ! has dpkg || [ -e /etc/ssl/certs/ca-certificates.crt ] ||
    install_package ca-certificates ||
    die "this machine has no certificates. Install them (Debian: apt-get install ca-certificates) and start again."
}

# Sets `python` to a CPython 3.11, for which packages are locked.
require_python311() {
  for python in "${EXECUTORCH_PYTHON:-}" /usr/bin/python3.11 python3.11 python3; do
    is_python311 "$python" && return
  done
  die "this machine has no CPython 3.11. Install it (Debian 12: apt-get install python3), or specify one with EXECUTORCH_PYTHON."
}

is_python311() {
  [ -n "$1" ] && "$1" -I -c 'import sys; sys.exit(sys.implementation.cache_tag != "cpython-311")' 2>/dev/null
}

# require PROGRAM PACKAGE
require() {
  has "$1" && return
  install_package "$2" || die "this machine has no '$1'. Install it (Debian: apt-get install $2) and start again."
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# install_package PACKAGE: fails silently on systems other than Debian, and without root.
install_package() {
  has apt-get && [ "$(id -u)" = 0 ] || return 1
  say "installing Debian's package $1"
  apt-get -qq update >&2 &&
    DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "$1" </dev/null >&2
}
