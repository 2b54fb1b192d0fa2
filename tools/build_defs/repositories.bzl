"""External repositories that only this project's models, tests and benchmarks use."""

load("//rules/private/repository:cmocka.bzl", "cmocka")  # buildifier: disable=bzl-visibility
load("//rules/private/repository:python_environment.bzl", "python_environment")  # buildifier: disable=bzl-visibility
load(":npm_package.bzl", "npm_package")
load(":published_models.bzl", "published_models")
load(":wasmtime.bzl", "wasmtime")

def project_repositories():
    """Defines the repositories.

    They are C libraries, published models, the documentation generator, and the runtimes that tests
    and benchmarks compare with.
    """
    cmocka(name = "cmocka")
    published_models()
    wasmtime()
    npm_package(
        name = "executorch_playwright",
        integrity = "sha512-hutraynyn31F+Bifme+Ps9Vq59hKuUCz7H1kDOcBs+2oGguKkWTU50bBWrtz34OUWmIwpBTWDxaRPXrIXkgvmQ==",
        package = "playwright-core",
        version = "1.56.1",
    )
    npm_package(
        name = "executorch_typescript",
        integrity = "sha512-jl1vZzPDinLr9eUt3J/t7V6FgNEw9QjvBPdysz9KfQDD41fQrC2Y4vKQdiaUpFT4bXlb1RHhLpp8wtm6M5TgSw==",
        package = "typescript",
        version = "5.9.3",
    )
    python_environment(
        name = "executorch_cmake",
        lock = Label("//third_party/python:cmake.lock"),
    )
    python_environment(
        name = "executorch_docs",
        lock = Label("//third_party/python:docs.lock"),
    )
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
        # Only the shared library is loaded. Compiling only this library takes a fifth of the time.
        # In the Python package, it is in llama_cpp/lib.
        build_variables = {
            "CMAKE_ARGS": " ".join([
                "-DBUILD_SHARED_LIBS=ON",
                "-DCMAKE_INSTALL_LIBDIR=llama_cpp/lib",
                "-DCMAKE_INSTALL_RPATH=$ORIGIN",
                "-DLLAMA_BUILD_APP=OFF",
                "-DLLAMA_BUILD_COMMON=OFF",
                "-DLLAMA_BUILD_EXAMPLES=OFF",
                "-DLLAMA_BUILD_SERVER=OFF",
                "-DLLAMA_BUILD_TESTS=OFF",
                "-DLLAMA_BUILD_TOOLS=OFF",
                "-DLLAMA_OPENSSL=OFF",
            ]),
            "SKBUILD_CMAKE_SOURCE_DIR": "vendor/llama.cpp",
        },
        optional = True,
    )
