"""Tests names, types and texts in generated JavaScript and TypeScript."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rules.codegen import web_library
from rules.codegen.model import CodegenError, read_model
from rules.codegen.web_model import function_names
from rules.codegen.web_module import bundle

_CODEC = Path(__file__).resolve().parent / "testdata" / "codec.manifest.json"
_RANGE = {"min": 1, "max": 4, "step": 1}


@dataclass(frozen=True)
class Files:
    """The generated files."""

    module: str
    types: str
    source: str


def _tensor(name: str, **keys: Any) -> dict[str, Any]:
    return {"name": name, "kind": "tensor", "dtype": "float32", "dynamism": "static", "dim_order": [0], **keys}


def _generate(tmp_path: Path, *flags: str, name: str = "Net", **keys: Any) -> Files:
    """Generate the library of a program with one method, which has these keys."""
    document = json.loads(_CODEC.read_text(encoding="utf-8"))
    method = document["methods"][2] | {"name": "forward", "inputs": [], "outputs": []} | keys
    document |= {"target": "//app:net_pte", "methods": [method]}
    manifest, runtime, types = (tmp_path / file for file in ("net.manifest.json", "runtime.mjs", "types.d.mts"))
    manifest.write_text(json.dumps(document), encoding="utf-8")
    runtime.write_text(
        'import { a } from "./other.mjs";\nexport class B {\n  // Not a name: Net\n  m = new Map();\n}\n',
        encoding="utf-8",
    )
    types.write_text("export declare class B {}\n", encoding="utf-8")
    outputs = [tmp_path / file for file in ("net.mjs", "net.d.mts", "net.c")]
    arguments = [
        *("--target=//app:net", "--library=//app:net_cc", "--module", "plain", "net.plain.wasm"),
        *("--model", "app_net", str(manifest), name, "net", f"--runtime={runtime}", f"--types={types}"),
        *(f"--out-{role}={path}" for role, path in zip(("module", "types", "source"), outputs, strict=True)),
    ]
    assert web_library.main([*arguments, *flags]) == 0
    return Files(*(path.read_text(encoding="utf-8") for path in outputs))


def test_default_web_class_is_the_prefix_without_the_package(tmp_path: Path) -> None:
    files = _generate(tmp_path, name="-")
    assert "\nexport class Net {\n" in files.module and "export declare class Net {" in files.types


def test_module_has_the_runtime_without_imports(tmp_path: Path) -> None:
    text = _generate(tmp_path).module
    assert "\nclass B {\n" in text and "./other.mjs" not in text


def test_only_libraries_with_threads_have_a_worker(tmp_path: Path) -> None:
    line = 'new Worker(new URL("./net.worker.mjs", import.meta.url), { type: "module" })'
    assert line in _generate(tmp_path, "--worker", "net.worker.mjs").module
    assert "worker" not in _generate(tmp_path).module.partition("const executorch")[0]


def test_runtime_modules_must_not_declare_the_same_name() -> None:
    with pytest.raises(CodegenError, match="declare the same names: a, b"):
        bundle(["const a = 1;\nfunction b() {}\n", "export async function* b() {}\nclass a {}\n"])


def test_module_names_files_with_their_hashes(tmp_path: Path) -> None:
    files = _generate(tmp_path)
    assert 'plain: () => new URL("./net.plain.wasm", import.meta.url),' in files.module
    assert 'url: () => new URL("./net.pte", import.meta.url),' in files.module
    assert 'sha256: "1212' in files.module
    assert ".program = {0}," in files.source
    embedded = _generate(tmp_path, "--embed")
    assert "net.pte" not in embedded.module and ".program = {0}," not in embedded.source


@pytest.mark.parametrize(
    "name", ["class", "a.b", "1st", "Ünïcode", "Program", "Promise", "Float32Array", "await", "B", "Map", "model0"]
)
def test_web_class_name_must_be_unused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError):
        _generate(tmp_path, name=name)
    assert capsys.readouterr().err.startswith(f"//app:net: class_name: '{name}' cannot be a name of the module")


@pytest.mark.parametrize("method", ["load", "dispose", "reset", "then", "toString", "constructor"])
def test_web_methods_avoid_members_of_the_class(method: str, tmp_path: Path) -> None:
    document = json.loads(_CODEC.read_text(encoding="utf-8"))
    codec = document["methods"][2] | {"name": method, "inputs": [], "outputs": []}
    path = tmp_path / "named.json"
    path.write_text(json.dumps(document | {"methods": [codec]}), encoding="utf-8")
    model = read_model(path, "net", "//app:net_cc")
    assert function_names(model.interface) == [f"{method}_"]


def test_properties_are_in_camel_case_without_keywords(tmp_path: Path) -> None:
    inputs = [_tensor(name, shape=[4]) for name in ("input_ids", "new", "__proto__", "valueOf")]
    text = _generate(tmp_path, inputs=inputs).types
    assert [line.split(":")[0].strip() for line in text.splitlines() if line.endswith(": Float32Array;")] == [
        "inputIds",
        "new_",
        "proto",
        "valueOf_",
    ]


def test_equal_properties_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError):
        _generate(tmp_path, inputs=[_tensor("a_b", shape=[4]), _tensor("aB", shape=[4])])
    assert "method 'forward': 'a_b' and 'aB' are both 'aB' in JavaScript; rename one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("keys", "input_type", "output_type"),
    [
        ({"dtype": "bool"}, "Uint8Array", 'Tensor<Uint8Array, "bool">'),
        ({"dtype": "uint8"}, "Uint8Array | Uint8ClampedArray", 'Tensor<Uint8Array, "uint8">'),
        ({"dtype": "int64"}, "BigInt64Array", 'Tensor<BigInt64Array, "int64">'),
        ({"dtype": "bfloat16"}, "Uint16Array", 'Tensor<Uint16Array, "bfloat16">'),
        ({"dtype": "complex128"}, "Float64Array", 'Tensor<Float64Array, "complex128">'),
        (
            {"dynamism": "dynamic_bound", "sizes": [_RANGE]},
            "Float32Array | Shaped<Float32Array>",
            'Tensor<Float32Array, "float32">',
        ),
        (
            {"dynamism": "dynamic_bound", "shape": [4, 4], "sizes": [_RANGE, _RANGE]},
            "Shaped<Float32Array>",
            'Tensor<Float32Array, "float32">',
        ),
    ],
)
def test_tensors_have_typed_arrays(keys: dict[str, Any], input_type: str, output_type: str, tmp_path: Path) -> None:
    tensor = {"shape": [4], **keys}
    text = _generate(tmp_path, inputs=[_tensor("x", **tensor)], outputs=[_tensor("y", **tensor)]).types
    assert f"    x: {input_type};\n" in text and f"    y: {output_type};\n" in text


def test_scalars_have_primitive_types(tmp_path: Path) -> None:
    kinds = ("int", "bool", "double", "string", "null")
    outputs = [{"name": kind[0], "kind": kind} for kind in kinds]
    inputs = [{"name": "n", "kind": "int", "range": _RANGE}, {"name": "m", "kind": "int", "value": 4}]
    text = _generate(tmp_path, inputs=inputs, outputs=outputs).types
    assert "    n: number | bigint;\n" in text and "    m:" not in text
    for line in ("i: bigint", "b: boolean", "d: number", "s: string"):
        assert f"    {line};\n" in text


def test_hostile_texts_stay_in_comments_of_declarations(tmp_path: Path) -> None:
    files = _generate(tmp_path, doc="first */ } \u202e\n\n@deprecated ${x}\nend")
    assert (
        "   * Runs method `forward`.\n   *\n   * first *\u200b/ }\n   *\n   * \\@deprecated ${x} end\n" in files.types
    )
    assert "\u202e" not in files.types + files.module


def _tokenizer_flags(tmp_path: Path, kind: str, class_name: str = "Words", label: str = "//app:words") -> list[str]:
    tables = tmp_path / "words.c"
    tables.write_text("/* tables */\n", encoding="utf-8")
    entry = [kind, class_name, f"label:{label}", str(tables), "app_words", "app/words.h", "net.Words.wasm"]
    return ["--tokenizer", *entry, "--out-tokenizer", str(tmp_path / f"{kind}.c")]


def test_tokenizers_have_a_class_and_a_source(tmp_path: Path) -> None:
    files = _generate(tmp_path, *_tokenizer_flags(tmp_path, "wordpiece"))
    assert "export class Words extends executorch.WordpieceVocabulary {" in files.module
    assert 'plain: () => new URL("./net.Words.wasm", import.meta.url),' in files.module
    assert "export declare class Words {" in files.types and "encodeChat" not in files.types
    source = (tmp_path / "wordpiece.c").read_text(encoding="utf-8")
    assert '#include "app/words.h"\n' in source and "&et_web_wordpiece, &app_words, CHAT}" in source
    digest = re.search(r"digest: (\d+)n,\n  compiled", files.module)
    assert digest is not None and f"{{{digest[1]}, " in source


def test_byte_pair_tokenizers_have_chats(tmp_path: Path) -> None:
    files = _generate(tmp_path, *_tokenizer_flags(tmp_path, "bpe"))
    assert "export class Words extends executorch.BpeVocabulary {" in files.module
    assert "encodeChat(messages: readonly ChatMessage[], options?: ChatOptions): BigInt64Array;" in files.types
    source = (tmp_path / "bpe.c").read_text(encoding="utf-8")
    assert "&et_web_bpe, &app_words, CHAT}" in source and "#ifdef app_words_chat\n" in source


def test_libraries_without_tokenizers_do_not_use_their_runtime(tmp_path: Path) -> None:
    assert "loadTokenizer" not in _generate(tmp_path).module


@pytest.mark.parametrize("name", ["Net", "TokenArray", "tokenizer0", "B", "a-b"])
def test_tokenizer_class_name_must_be_unused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError):
        _generate(tmp_path, *_tokenizer_flags(tmp_path, "bpe", name))
    assert capsys.readouterr().err.startswith("//app:net: class_name: ")


def test_hostile_labels_of_tokenizers_stay_in_comments(tmp_path: Path) -> None:
    files = _generate(tmp_path, *_tokenizer_flags(tmp_path, "bpe", label="@a//b:c*/ d"))
    assert "Tokenizer of `@a//b:c*\u200b/ d`" in files.module and "Tokenizer of `@a//b:c*\u200b/ d`" in files.types
    assert "@a//b:c* / d. Do not edit. */" in (tmp_path / "bpe.c").read_text(encoding="utf-8")
