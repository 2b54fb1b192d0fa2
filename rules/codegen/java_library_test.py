"""Tests names, types and texts in generated Java."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rules.codegen import java_library, java_natives
from rules.codegen.archive import write_archive
from rules.codegen.model import CodegenError, read_model
from rules.interface.identifiers import camel_case

_CODEC = Path(__file__).resolve().parent / "testdata" / "codec.manifest.json"


def _tensor(name: str, **keys: Any) -> dict[str, Any]:
    return {"name": name, "kind": "tensor", "dtype": "float32", "dynamism": "static", "dim_order": [0]} | keys


def _library(tmp_path: Path, **keys: Any) -> java_library.Library:
    """Return a library of a program with one method, with these keys of the method."""
    document = json.loads(_CODEC.read_text(encoding="utf-8"))
    method = document["methods"][2] | {"inputs": [], "outputs": []} | keys
    path = tmp_path / "method.json"
    path.write_text(json.dumps(document | {"methods": [method]}), encoding="utf-8")
    model = read_model(path, "net", "//app:net_cc")
    return java_library.Library("//app:net", "app", "net", [java_library.JavaModel(model, "Net", 1)])


def _generate(tmp_path: Path, *flags: str, **keys: Any) -> str:
    """Return what `_annotated` does, without annotations."""
    return _annotated(tmp_path, *flags, **keys).replace("@org.jetbrains.annotations.NotNull ", "")


def _annotated(tmp_path: Path, *flags: str, name: str = "Net", package: str = "com.acme", **keys: Any) -> str:
    """Return the class of a program with one method, with these keys of the method."""
    document = json.loads(_CODEC.read_text(encoding="utf-8"))
    method = document["methods"][2] | {"name": "forward", "inputs": [], "outputs": []} | keys
    document |= {"target": "//app:net_pte", "methods": [method]}
    path = tmp_path / "net.manifest.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    arguments = ["--target=//app:net", "--library=//app:net_cc", f"--package={package}", "--name=net"]
    files = [f"--out-classes={tmp_path}/net.srcjar", f"--out-source={tmp_path}/net.c"]
    assert java_library.main([*arguments, "--model", "app_net", str(path), name, *files, *flags]) == 0
    with zipfile.ZipFile(tmp_path / "net.srcjar") as archive:
        classes = {path: archive.read(path).decode() for path in archive.namelist()}
    (found,) = (text for path, text in classes.items() if not path.endswith("Natives.java"))
    return found


def test_default_class_is_the_prefix_without_the_package(tmp_path: Path) -> None:
    assert "public final class Net implements" in _generate(tmp_path, name="-")


def test_sources_are_in_the_folder_of_the_package(tmp_path: Path) -> None:
    text = _generate(tmp_path)
    assert "\npackage com.acme;\n" in text
    with zipfile.ZipFile(tmp_path / "net.srcjar") as archive:
        assert archive.namelist() == ["com/acme/Net.java", "com/acme/NetNatives.java"]
    assert '= "com/acme/NetNatives";' in (tmp_path / "net.c").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["class", "a.b", "1st", "Ünïcode", "org", "record", "NetNatives"])
def test_class_name_must_be_an_unused_java_name(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError):
        _generate(tmp_path, name=name)
    assert capsys.readouterr().err.startswith("//app:net: class_name: ")


@pytest.mark.parametrize("package", ["", "a..b", "com.class", "a-b", "a;b"])
def test_package_must_be_a_java_name(package: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError):
        _generate(tmp_path, package=package)
    assert "is not a Java package; pass a name such as 'com.example.app'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("input_ids", "inputIds"),
        ("output_0", "output0"),
        ("KV_cache", "kvCache"),
        ("ImageSize", "imageSize"),
        ("class", "class_"),
        ("3d", "_3d"),
    ],
)
def test_names_are_in_camel_case(name: str, expected: str) -> None:
    assert camel_case(name, "java") == expected


def test_names_avoid_keywords_and_functions_of_the_class(tmp_path: Path) -> None:
    tensors = [_tensor("new", shape=[4]), _tensor("class", shape=[4])]
    text = _generate(tmp_path, inputs=tensors, outputs=tensors)
    assert "forward(float[] new_, float[] class_)" in text
    for name in ("getNew", "getClass_"):
        assert f"public org.executorch.bazel.Tensor<float[]> {name}()" in text


@pytest.mark.parametrize(
    ("output", "function"),
    [("scores", "getScores"), ("output_0", "getOutput0"), ("KV_cache", "getKvCache"), ("3d", "get3d")],
)
def test_outputs_have_functions_that_kotlin_shows_as_properties(output: str, function: str, tmp_path: Path) -> None:
    text = _generate(tmp_path, outputs=[_tensor(output, shape=[4]), _tensor("y", shape=[4])])
    assert f"public org.executorch.bazel.Tensor<float[]> {function}()" in text


@pytest.mark.parametrize("method", ["load", "close", "reset", "wait", "toString"])
def test_methods_avoid_functions_of_the_class(method: str, tmp_path: Path) -> None:
    library = _library(tmp_path, name=method, inputs=[_tensor("x", shape=[4])])
    assert (
        f"public void {method}_(@org.jetbrains.annotations.NotNull float[] x)"
        in java_library.java_classes(library)["app/Net.java"]
    )


def test_parameters_do_not_hide_packages_and_variables(tmp_path: Path) -> None:
    inputs = [_tensor(name, shape=[4]) for name in ("org", "java", "call", "methods")]
    text = _generate(tmp_path, inputs=inputs)
    assert "forward(float[] org_, float[] java_, float[] call_, float[] methods)" in text
    assert "this.methods.begin(0)" in text


def test_equal_names_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError):
        _generate(tmp_path, inputs=[_tensor("a_b", shape=[4]), _tensor("aB", shape=[4])])
    assert "method 'forward': 'a_b' and 'aB' are both 'aB' in Java; rename one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("dtype", "array", "buffer"),
    [
        ("uint8", "byte", "Byte"),
        ("bool", "boolean", "Byte"),
        ("bfloat16", "short", "Short"),
        ("uint32", "int", "Int"),
        ("int64", "long", "Long"),
        ("complex64", "float", "Float"),
        ("float64", "double", "Double"),
    ],
)
def test_every_dtype_has_arrays_and_buffers(dtype: str, array: str, buffer: str, tmp_path: Path) -> None:
    text = _generate(
        tmp_path, inputs=[_tensor("x", shape=[4], dtype=dtype)], outputs=[_tensor("y", shape=[4], dtype=dtype)]
    )
    assert f"public org.executorch.bazel.Tensor<{array}[]> forward({array}[] x)" in text
    assert f"forward(java.nio.{buffer}Buffer x)" in text
    assert f"forwardInto(java.nio.{buffer}Buffer x, java.nio.{buffer}Buffer y)" in text
    assert f'checkTarget("y", y, {8 if dtype == "complex64" else 4});' in text


@pytest.mark.parametrize("sizes", [[{"min": 1, "max": 4, "step": 1}, 0], [{"min": 1, "max": 4, "step": 1}] * 2])
def test_java_functions_take_sizes_that_the_count_does_not_determine(sizes: list[Any], tmp_path: Path) -> None:
    tensor = _tensor("x", shape=[4, 4], dynamism="dynamic_bound", sizes=sizes)
    text = _generate(tmp_path, inputs=[tensor, _tensor("x_sizes", shape=[1])])
    assert "forward(float[] x, int[] xSizes_, float[] xSizes)" in text


def test_functions_state_that_nothing_is_null(tmp_path: Path) -> None:
    sizes = [{"min": 1, "max": 4, "step": 1}] * 2
    x = _tensor("x", shape=[4, 4], dynamism="dynamic_bound", sizes=sizes)
    text = _annotated(tmp_path, "--borrow-program", inputs=[x], outputs=[_tensor("y", shape=[4])])
    declarations = [line.strip() for line in text.splitlines() if line.startswith("  public ") and "(" in line]
    not_null = "@org.jetbrains.annotations.NotNull "
    assert declarations == [
        f"public static {not_null}Net load({not_null}org.executorch.bazel.Data program) {{",
        f"public static {not_null}Net load({not_null}org.executorch.bazel.Data program, {not_null}org.executorch.bazel.Options options) {{",
        f"public {not_null}org.executorch.bazel.Tensor<float[]> forward({not_null}float[] x, {not_null}int[] xSizes) {{",
        f"public {not_null}org.executorch.bazel.Tensor<float[]> forward({not_null}java.nio.FloatBuffer x, {not_null}int[] xSizes) {{",
        f"public void forwardInto({not_null}java.nio.FloatBuffer x, {not_null}int[] xSizes, {not_null}java.nio.FloatBuffer y) {{",
        "public void reset() {",
        "public void close() {",
    ]


def test_borrowed_files_are_parameters(tmp_path: Path) -> None:
    text = _generate(tmp_path, "--borrow-program")
    assert "public static Net load(org.executorch.bazel.Data program) {" in text
    assert "load(org.executorch.bazel.Data program, org.executorch.bazel.Options options)" in text
    assert ".program = {0}," in (tmp_path / "net.c").read_text(encoding="utf-8")


def test_hostile_texts_stay_in_comments(tmp_path: Path) -> None:
    doc = "first */ \\u002a\\u002f } \u202e\n\n{@link x} <script> @deprecated\nend"
    text = _generate(tmp_path, name="Net", doc=doc)
    assert "*/ \\" not in text and "\\" not in text and "\u202e" not in text
    assert "   * <p>first &#42;/ &#92;u002a&#92;u002f &#125;  \n" in text.replace("&#125; \n", "&#125;  \n")
    assert "   * <p>&#123;&#64;link x&#125; &#60;script&#62; &#64;deprecated end\n" in text


def test_hostile_method_names_stay_in_strings(tmp_path: Path) -> None:
    library = _library(tmp_path, name='a"\\\n*/ //')
    assert '{"a\\042\\134\\012*/ //", ' in java_library.c_source(library)
    assert "public void a()" in java_library.java_classes(library)["app/Net.java"]


def test_nul_in_a_java_method_name_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(CodegenError, match=r"method 'a\\x00b' has a NUL in its name; rename it"):
        java_library.c_source(_library(tmp_path, name="a\0b"))


def test_outputs_only_differ_with_the_inputs(tmp_path: Path) -> None:
    _generate(tmp_path)
    first = (tmp_path / "net.srcjar").read_bytes()
    _generate(tmp_path)
    assert (tmp_path / "net.srcjar").read_bytes() == first


@pytest.mark.parametrize(
    ("platform", "file"),
    [
        ("linux-aarch64", "libnet_jni-ba7816bf8f01cfea.so"),
        ("macos-aarch64", "libnet_jni-ba7816bf8f01cfea.dylib"),
        ("windows-x86_64", "net_jni-ba7816bf8f01cfea.dll"),
    ],
)
def test_jar_lists_the_native_library(platform: str, file: str, tmp_path: Path) -> None:
    library, jar = tmp_path / "library", tmp_path / "natives.jar"
    library.write_bytes(b"abc")
    arguments = [
        "--target=//app:net",
        "--name=net_jni",
        f"--platform={platform}",
        f"--library={library}",
        f"--out={jar}",
    ]
    assert java_natives.main(arguments) == 0
    with zipfile.ZipFile(jar) as archive:
        folder = f"META-INF/native/{platform}"
        assert archive.read(f"{folder}/{file}") == b"abc"
        name, digest, size = archive.read(f"{folder}/net_jni.txt").decode().split()
    assert (name, digest[:16], size) == (file, "ba7816bf8f01cfea", "3")


def _natives(tmp_path: Path, platform: str) -> Path:
    jar = tmp_path / f"{platform}.jar"
    write_archive(jar, java_natives.native_files("net_jni", platform, platform.encode()))
    return jar


def test_jars_of_several_platforms_are_merged(tmp_path: Path) -> None:
    jars = [_natives(tmp_path, platform) for platform in ("linux-x86_64", "linux-aarch64")]
    out = tmp_path / "out.jar"
    assert java_natives.main(["--target=//app:net", *(f"--jar={jar}" for jar in jars), f"--out={out}"]) == 0
    with zipfile.ZipFile(out) as archive:
        folders = {name.rpartition("/")[0] for name in archive.namelist()}
    assert folders == {"META-INF/native/linux-x86_64", "META-INF/native/linux-aarch64"}


def test_jars_of_one_platform_are_not_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jar = _natives(tmp_path, "linux-x86_64")
    assert java_natives.main(["--target=//app:net", f"--jar={jar}", f"--jar={jar}", f"--out={tmp_path}/out.jar"]) == 1
    assert capsys.readouterr().err == "//app:net: platforms: two platforms are linux-x86_64; remove one\n"
