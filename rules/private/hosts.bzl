"""Host platforms: machines on which models are compiled."""

# Constraints by host name.
HOSTS = {
    "linux_aarch64": [
        "@platforms//cpu:aarch64",
        "@platforms//os:linux",
    ],
    "linux_x86_64": [
        "@platforms//cpu:x86_64",
        "@platforms//os:linux",
    ],
    "macos_aarch64": [
        "@platforms//cpu:aarch64",
        "@platforms//os:osx",
    ],
}
