"""The external repositories that this project's tests and benchmarks need, and nobody else."""

load("//rules/private/repository:cmocka.bzl", "cmocka")
load("//rules/private/repository:python_environment.bzl", "python_environment")

def project_repositories():
    """Defines them: the C test library, the official exporter and runtime, and the runtimes that we are measured beside."""
    cmocka(name = "cmocka")
    python_environment(
        name = "executorch_oracle",
        lock = Label("//third_party/python:oracle.lock"),
    )
    python_environment(
        name = "executorch_peers",
        lock = Label("//third_party/python:peers.lock"),
        optional = True,
    )
    python_environment(
        name = "executorch_litert",
        lock = Label("//third_party/python:litert.lock"),
        optional = True,
    )
