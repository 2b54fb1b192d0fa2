"""The machines that models are compiled and programs are linked on."""

# By name, the constraints of each.
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
