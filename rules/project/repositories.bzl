"""The external repositories that this project's models, tests and benchmarks need, and nobody else."""

load("//rules/private/repository:cmocka.bzl", "cmocka")
load("//rules/private/repository:python_environment.bzl", "python_environment")
load("//rules/private/repository:stb.bzl", "stb")
load(":published_models.bzl", "published_models")

def project_repositories():
    """Defines them: C libraries, published models, the official exporter and runtime, and the runtimes that we are measured beside."""
    cmocka(name = "cmocka")
    stb(name = "stb")
    published_models()
    python_environment(
        name = "executorch_models",
        lock = Label("//third_party/python:models.lock"),
    )
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
    python_environment(
        name = "executorch_llama_cpp",
        lock = Label("//third_party/python:llama_cpp.lock"),
        optional = True,
    )
