# Whether Bazel's central registry is of use on this machine.

# The archives that the registry points at lie on GitHub, so that is what gets asked. The answer holds for an hour: a
# network that swallows packets would cost its three seconds on each call.
registry_reachable() {
  registry_answer=$cache/central-registry
  if [ -z "$(find "$registry_answer" -mmin -60 2>/dev/null)" ]; then
    mkdir -p "$cache"
    probe_registry && echo yes >"$registry_answer" || echo no >"$registry_answer"
  fi
  [ "$(cat "$registry_answer")" = yes ]
}

probe_registry() {
  timeout 3 python3 -c '
import urllib.request
urllib.request.urlopen(urllib.request.Request("https://github.com", method="HEAD"), timeout=2)' 2>/dev/null
}
