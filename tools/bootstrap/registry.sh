# Checks whether Bazel's central registry is usable on this machine.

# The registry's archives are on GitHub, so the check requests GitHub. The answer is cached for an
# hour, because a network that drops packets would delay each call by three seconds.
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
