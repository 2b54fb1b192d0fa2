"""Tests of the C code that is generated from manifests."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rules.codegen import c_library


def _tensor_slot(name: str, shape: list[int], dynamism: str = "static") -> dict:
    return {"name": name, "kind": "tensor", "dtype": "float32", "shape": shape, "dim_order": [0], "dynamism": dynamism}


_TABLE = """
[dtypes]
float = ["float32"]

[[kernel]]
operator = "aten::abs.out"
symbol = "et_op_abs_out"
file = "op_abs.c"
dtypes = "float"
"""


_COUNTS = {
    name: index
    for index, name in enumerate(
        "values tensors planned_tensors list_items instructions args delegates specs io_slots dims".split()
    )
}


def _manifest_entry(**changes: object) -> dict:
    return {
        "format": 3,
        "target": "//m:net_pte",
        "weights": "seed",
        "program": {"file": "net.pte", "bytes": 100},
        "external": [],
        "backends": [],
        "operators": [{"name": "aten::abs.out", "dtypes": ["float32"]}],
        "methods": [
            {
                "name": "forward",
                "inputs": [_tensor_slot("x", [2, 3]), _tensor_slot("default", [4, 8], "dynamic_bound")],
                "outputs": [_tensor_slot("y", [2])],
                "delegates": [],
                "branches": False,
                "memory": {
                    "planned_bytes": [64],
                    "shared_id": 0,
                    "counts": _COUNTS,
                    "persistent": [],
                    "scratch": [],
                    "headers": [],
                },
            }
        ],
        **changes,
    }


def _run_generator(folder: Path, manifest: dict, *flags: str) -> tuple[int, str, str]:
    path = folder / "net.json"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    table, header, source = folder / "kernels.toml", folder / "net.h", folder / "net.c"
    table.write_text(_TABLE, encoding="utf-8")
    code = c_library.main(
        ["--target=//m:net_cc", "--include=m/net_cc.h", f"--out-header={header}", f"--out-source={source}"]
        + [f"--out-data={folder / 'net.S'}", "--model", "net", str(path), "out/net.pte", f"--kernels={table}", *flags]
    )
    return (code, header.read_text(), source.read_text()) if code == 0 else (code, "", "")


def test_header_states_each_methods_memory(tmp_path: Path) -> None:
    code, header, _ = _run_generator(tmp_path, _manifest_entry())
    assert code == 0
    assert "#define NET_FORWARD_METHOD_BYTES \\\n  ET_METHOD_BYTES( \\\n      /* values */ 0u, \\\n" in header
    assert "/* dims */ 9u, \\\n      /* persistent */ 0)\n" in header
    assert "#define NET_FORWARD_SCRATCH_BYTES 0u" in header and "scratch[" not in header
    assert "#define NET_FORWARD_PLANNED_0_BYTES 64u" in header


def test_memory_expressions_of_backends_and_kernels_reach_the_header(tmp_path: Path) -> None:
    manifest = _manifest_entry()
    manifest["methods"][0]["memory"] |= {
        "persistent": ["NPU_BYTES(3)", "64"],
        "scratch": ["4096", "sizeof(npu)"],
        "headers": ["npu/npu.h"],
    }
    _, header, _ = _run_generator(tmp_path, manifest)
    assert '#include "npu/npu.h"\n' in header
    assert "/* persistent */ ET_PERSISTENT_BYTES(NPU_BYTES(3)) + ET_PERSISTENT_BYTES(64))" in header
    assert "#define NET_FORWARD_SCRATCH_BYTES (sizeof(net_forward_scratch) - 1u)\n" in header
    assert "  uint8_t call_0[1u + (4096)];\n  uint8_t call_1[1u + (sizeof(npu))];\n}" in header
    assert "uint8_t scratch[ET_MAX(NET_FORWARD_SCRATCH_BYTES, 1u)];" in header


def test_shared_state_belongs_to_the_model(tmp_path: Path) -> None:
    manifest = _with_methods("put", "take", "look")
    for method in manifest["methods"][:2]:
        method["memory"] = method["memory"] | {"planned_bytes": [64, 32], "shared_id": 2}
    code, header, source = _run_generator(tmp_path, manifest)
    assert code == 0
    assert "#define NET_STATE_BYTES 32u\ntypedef struct net_state {\n  et_state state;\n" in header
    assert header.count("net_state *state,") == 2 and "planned_1[" not in header
    planned = "{{memory->planned_0, sizeof memory->planned_0}, NULL, NULL}"
    shared = "{{state->bytes, sizeof state->bytes}, &state->state, &et_sharing}"
    assert source.count(f"planned[] = {{{planned}, {shared}}};") == 2
    assert source.count(f"planned[] = {{{planned}}};") == 1


def test_static_input_has_a_typed_array(tmp_path: Path) -> None:
    _, header, _ = _run_generator(tmp_path, _manifest_entry())
    assert "net_forward_set_x(net_forward_method method, const float *data," in header
    assert "static const int32_t sizes[] = {2, 3};" in header
    assert "24u, out_error" in header


def test_dynamic_input_has_size_parameters(tmp_path: Path) -> None:
    _, header, _ = _run_generator(tmp_path, _manifest_entry())
    assert "net_forward_set_default(net_forward_method method, const float *data,\n    size_t count" in header


def test_header_comments_state_input_sizes(tmp_path: Path) -> None:
    manifest = _manifest_entry()
    manifest["methods"][0]["inputs"][1]["sizes"] = [{"min": 2, "max": 4, "step": 2}, 8]
    _, header, source = _run_generator(tmp_path, manifest)
    assert "Input 1, default: float32 [2 to 4 in steps of 2, 8]." in header
    assert ".ranges = &et_ranges," in source or ".ranges = &et_ranges}" in source


def test_conditions_are_linked(tmp_path: Path) -> None:
    manifest = _manifest_entry()
    manifest["methods"][0]["conditions"] = ["default.shape[0] % 2 == 0"]
    _, header, source = _run_generator(tmp_path, manifest)
    assert ".ranges = &et_ranges_and_conditions" in source
    assert "take `base`. Each call requires default.shape[0] % 2 == 0. */" in header


def test_ranged_integer_input_is_passed_by_value(tmp_path: Path) -> None:
    manifest = _manifest_entry()
    manifest["methods"][0]["inputs"] = [
        {"name": "count", "kind": "int", "range": {"min": 1, "max": 2**63 - 1, "step": 1}},
        {"name": "fixed", "kind": "int"},
    ]
    _, header, source = _run_generator(tmp_path, manifest)
    assert "/* Input 0, count: an integer, at least 1. */" in header
    assert "net_forward_set_count(net_forward_method method, int64_t value," in header
    assert "set_fixed" not in header
    assert ".ranges = &et_ranges" in source


def test_header_has_constants_of_inputs_and_outputs(tmp_path: Path) -> None:
    manifest = _manifest_entry()
    count = {"name": "count", "kind": "int", "range": {"min": 1, "max": 2**63 - 1, "step": 1}}
    manifest["methods"][0]["inputs"].append(count)
    manifest["methods"][0]["inputs"][1]["sizes"] = [{"min": 2, "max": 4, "step": 2}, 8]
    manifest["methods"][0]["outputs"].append(_tensor_slot("output_1", []))
    _, header, _ = _run_generator(tmp_path, manifest)
    found = re.findall(r"^#define NET_FORWARD_((?:INPUT|OUTPUT)_\w+ .*)$", header, re.MULTILINE)
    assert found == [
        *("INPUT_X_RANK 2", "INPUT_X_COUNT 6u", "INPUT_X_SIZE_0 2", "INPUT_X_SIZE_1 3"),
        *("INPUT_DEFAULT_RANK 2", "INPUT_DEFAULT_MAX_COUNT 32u"),
        *("INPUT_DEFAULT_MIN_SIZE_0 2", "INPUT_DEFAULT_MAX_SIZE_0 4", "INPUT_DEFAULT_SIZE_1 8"),
        "INPUT_COUNT_MIN INT64_C(1)",
        *("OUTPUT_Y_RANK 1", "OUTPUT_Y_COUNT 2u", "OUTPUT_Y_SIZE_0 2"),
        *("OUTPUT_1_RANK 0", "OUTPUT_1_COUNT 1u"),
    ]


def test_program_is_embedded_by_path(tmp_path: Path) -> None:
    _run_generator(tmp_path, _manifest_entry())
    assert '.incbin "out/net.pte"' in (tmp_path / "net.S").read_text()


def test_kernel_table_has_only_the_models_kernels(tmp_path: Path) -> None:
    _, _, source = _run_generator(tmp_path, _manifest_entry())
    assert '{"aten::abs.out", "tw>w", &rules[0], et_op_abs_out, NULL, 0},' in source
    assert "static const et_kernel_table kernels = {rows, sizeof rows / sizeof *rows};" in source


def test_codegen_names_operators_without_a_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, _ = _run_generator(tmp_path, _manifest_entry(operators=[{"name": "aten::det.out", "dtypes": ["float32"]}]))
    assert code == 1
    assert "no kernel for aten::det.out" in capsys.readouterr().err


def test_codegen_names_backends_without_a_c_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, _ = _run_generator(tmp_path, _manifest_entry(backends=["Npu"]))
    assert code == 1
    assert "//m:net_pte: delegates to 'Npu'" in capsys.readouterr().err
    assert not (tmp_path / "net.h").exists()


def test_used_backends_are_registered(tmp_path: Path) -> None:
    _, _, source = _run_generator(
        tmp_path, _manifest_entry(backends=["Npu"]), "--backend=Npu=npu_backend", "--backend=Dsp=dsp_backend"
    )
    assert "extern const et_backend npu_backend;" in source
    assert "dsp_backend" not in source


def _with_delegates(*delegates: tuple[str, list[str]]) -> dict:
    method = _manifest_entry()["methods"][0]
    entries = [{"id": backend, "bytes": 1, "parts": parts} for backend, parts in delegates]
    return _manifest_entry(
        backends=sorted({backend for backend, _ in delegates}), methods=[{**method, "delegates": entries}]
    )


def test_delegate_parts_are_linked_once(tmp_path: Path) -> None:
    manifest = _with_delegates(("Npu", ["npu_b", "npu_a"]), ("Npu", ["npu_a"]), ("Dsp", []))
    _, _, source = _run_generator(tmp_path, manifest, "--backend=Npu=npu_backend", "--backend=Dsp=dsp_backend")
    assert "static const et_backend *const backends[] = {&dsp_backend, &npu_backend};" in source
    assert source.count("extern const et_backend_part ") == 2
    assert "static const et_backend_part *const parts_0[] = {NULL};" in source
    assert "static const et_backend_part *const parts_1[] = {&npu_a, &npu_b};" in source
    assert "static const et_backend_parts parts[] = {{parts_0, 0}, {parts_1, 2}};" in source
    members = ".backends = backends, .backend_count = 2, .parts = parts, .delegation = &et_delegation"
    assert f"const et_registry net_registry = {{.kernels = &kernels, {members}}};" in source


def test_backends_without_parts_have_no_part_table(tmp_path: Path) -> None:
    _, _, source = _run_generator(tmp_path, _with_delegates(("Npu", [])), "--backend=Npu=npu_backend")
    members = ".backends = backends, .backend_count = 1, .delegation = &et_delegation"
    assert f"const et_registry net_registry = {{.kernels = &kernels, {members}}};" in source
    assert "parts_0" not in source


def test_linked_registry_is_the_models(tmp_path: Path) -> None:
    _, _, source = _run_generator(tmp_path, _manifest_entry(), "--linked-registry")
    for name in ("net_registry", "et_linked_registry"):
        assert f"const et_registry {name} = {{.kernels = &kernels}};" in source


def test_moves_and_jumps_are_linked_on_use(tmp_path: Path) -> None:
    manifest = _with_methods("put", "take")
    assert "branching" not in _run_generator(tmp_path, manifest)[2]
    manifest["methods"][1]["branches"] = True
    source = _run_generator(tmp_path, manifest)[2]
    assert "const et_registry net_registry = {.kernels = &kernels, .branching = &et_branching};" in source


def test_part_name_that_is_not_an_identifier_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, _ = _run_generator(tmp_path, _with_delegates(("Npu", ["a; b"])), "--backend=Npu=npu_backend")
    assert code == 1
    assert "part of 'Npu' is not a C identifier: 'a; b'" in capsys.readouterr().err


def _linked_symbols(text: str) -> set[str]:
    return set(re.findall(r"#define net_\w+ (net_\w+)", text))


def test_linker_symbols_depend_on_the_label(tmp_path: Path) -> None:
    _, here, _ = _run_generator(tmp_path, _manifest_entry(target="//a:b_net_pte"))
    _, there, _ = _run_generator(tmp_path, _manifest_entry(target="//a/b:net_pte"))
    assert len(_linked_symbols(here)) == len(_linked_symbols(there)) == 4
    assert not _linked_symbols(here) & _linked_symbols(there)
    assert f".globl SYMBOL({min(_linked_symbols(there), key=len)[:12]}" in (tmp_path / "net.S").read_text()


def test_include_guard_depends_on_the_label(tmp_path: Path) -> None:
    _, here, _ = _run_generator(tmp_path, _manifest_entry(), "--target=//m:net_cc")
    _, there, _ = _run_generator(tmp_path, _manifest_entry(), "--target=@other//m:net_cc")
    guards = [re.findall(r"#ifndef (\w+)", header)[0] for header in (here, there)]
    assert guards[0] != guards[1]
    assert all(guard.startswith("EXECUTORCH_M_NET_CC_H_") for guard in guards)


def _with_methods(*names: str) -> dict:
    method = _manifest_entry()["methods"][0]
    return _manifest_entry(methods=[{**method, "name": name} for name in names])


@pytest.mark.parametrize("names", [("a.b", "a_b"), ("Run", "run")])
def test_methods_with_equal_c_names_are_refused(
    names: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, _ = _run_generator(tmp_path, _with_methods(*names))
    assert code == 1
    assert (
        f"method '{names[0]}' of //m:net_pte and method '{names[1]}' of //m:net_pte have the same C name"
        in capsys.readouterr().err
    )


def test_method_and_input_with_equal_c_names_are_refused(tmp_path: Path) -> None:
    assert _run_generator(tmp_path, _with_methods("run", "run_set_x"))[0] == 0
    manifest = _with_methods("run", "run_set")
    manifest["methods"][0]["inputs"][0]["name"] = "load"
    assert _run_generator(tmp_path, manifest)[0] == 1


def test_label_and_method_text_is_escaped(tmp_path: Path) -> None:
    manifest = _manifest_entry(target="//m:*/net", methods=[{**_manifest_entry()["methods"][0], "name": 'a"b\\'}])
    _, header, source = _run_generator(tmp_path, manifest)
    assert "*/net" not in header
    assert '"a\\042b\\134"' in source


_WEIGHTS = {"file": "net.ptd", "bytes": 64, "sha256": "ab" * 32}


def test_external_weights_are_embedded(tmp_path: Path) -> None:
    code, header, source = _run_generator(
        tmp_path, _manifest_entry(external=[_WEIGHTS]), "--weights", "net", "out/net.ptd"
    )
    assert code == 0
    assert "#define NET_WEIGHTS_BYTES 64u\n" in header and f'"{"ab" * 32}"' in header
    assert "extern const uint8_t net_weights_data[];" in header and "et_data_source sources[2];" in header
    assert "et_span weights," not in header and "et_program_check_contents" not in source
    assert "const et_span weights = {net_weights_data, NET_WEIGHTS_BYTES};" in source
    assert '.incbin "out/net.ptd"' in (tmp_path / "net.S").read_text()


def test_caller_provided_weights_are_checked(tmp_path: Path) -> None:
    flags = ["--weights", "net", "out/net.ptd", "--borrow-weights"]
    _, header, source = _run_generator(tmp_path, _manifest_entry(external=[_WEIGHTS]), *flags)
    assert "et_span weights,\n" in header and "net_weights_data" not in header.split("registry")[1]
    assert "et_program_check_contents(&memory->program, out_error)" in source
    assert "net.ptd" not in (tmp_path / "net.S").read_text()


def test_equal_weights_of_two_models_are_embedded_once(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(_manifest_entry(external=[_WEIGHTS], target="//m:other_pte")), encoding="utf-8")
    flags = ["--model", "other", str(path), "out/other.pte", "--weights", "net", "out/net.ptd"]
    _run_generator(tmp_path, _manifest_entry(external=[_WEIGHTS]), *flags, "--weights", "other", "out/other.ptd")
    data = (tmp_path / "net.S").read_text()
    assert data.count(".ptd") == 1 and data.count("_weights_data):") == 2


def test_caller_provided_program_is_not_embedded(tmp_path: Path) -> None:
    flags = ("--borrow-program", "net", "_main/m/net.pte")
    code, header, source = _run_generator(tmp_path, _manifest_entry(), *flags)
    assert code == 0
    assert '#define NET_PROGRAM_FILE "_main/m/net.pte"' in header
    assert "program_data[]" not in header and "program_size" not in source.replace("#define", "")
    assert "et_span program,\n" in header and "const et_span file = program;" in source
    assert ".incbin" not in (tmp_path / "net.S").read_text()


def test_exclusive_methods_share_a_memory_type(tmp_path: Path) -> None:
    _, header, _ = _run_generator(tmp_path, _manifest_entry(), "--shared-memory=m_net_cc")
    assert "typedef union m_net_cc_memory {\n  net_forward_memory net_forward;\n} m_net_cc_memory;\n" in header


def _generate_shared_library(folder: Path, manifest: dict, *flags: str) -> tuple[str, str, list[str]]:
    """Return the header, the source and the exported symbols of a shared library."""
    exports = folder / "net.lds"
    code, header, source = _run_generator(folder, manifest, f"--out-exports={exports}", *flags)
    assert code == 0
    return header, source, re.findall(r"^    ([^*\s]+);$", exports.read_text(), re.MULTILINE)


def test_shared_library_exports_its_headers_functions(tmp_path: Path) -> None:
    header, source, exported = _generate_shared_library(tmp_path, _with_methods("run", "look"))
    names = re.findall(r"^(?:et_status|void) net_(\w+)\(", header, re.MULTILINE)
    assert len(names) == 2 * 7 and "run_execute" in names and "look_set_x" in names
    linked = dict(re.findall(r"#define net_(\w+) (net_\w+)", header))
    assert sorted(linked[name] for name in names) == exported
    assert all(f" net_{name}(" in source for name in names)


def test_shared_library_header_hides_private_declarations(tmp_path: Path) -> None:
    header, source, exported = _generate_shared_library(
        tmp_path, _manifest_entry(external=[_WEIGHTS]), "--weights", "net", "out/net.ptd"
    )
    for name in ("net_registry", "net_program_data", "net_program_size", "net_weights_data"):
        assert name not in header and f" {name}" in source
    assert "extern const uint8_t net_weights_data[];" in source
    assert "static inline" not in header
    hidden = {"net_registry", "net_program_data", "net_program_size", "net_weights_data"}
    assert set(re.findall(r"^#define (net_\w+) net_", source, re.MULTILINE)) == hidden
    assert not [name for name in exported if "_forward_" not in name]


def test_shared_library_exports_additional_functions_once(tmp_path: Path) -> None:
    _, _, exported = _generate_shared_library(
        tmp_path, _manifest_entry(), "--export=et_method_measure", "--export=et_method_measure"
    )
    assert exported.count("et_method_measure") == 1


@pytest.mark.parametrize(
    ("policy", "functions"),
    [
        ("any", ["const et_method_options &options = {}", "Memory &memory, const et_method_options &options = {}"]),
        ("caller", ["Memory &memory, const et_method_options &options = {}"]),
        ("heap", ["const et_method_options &options = {}"]),
        ("static", ["const et_method_options &options = {}"]),
    ],
)
def test_memory_policy_selects_the_create_functions(policy: str, functions: list[str], tmp_path: Path) -> None:
    out = tmp_path / "net.hpp"
    _run_generator(tmp_path, _manifest_entry(), f"--out-cpp-header={out}", f"--cpp-memory={policy}")
    text = out.read_text(encoding="utf-8")
    assert re.findall(r" create\((.*)\) noexcept", text) == functions
    assert ("Methods::claim()" in text) == (policy == "static")
    assert ("Methods::allocate()" in text) == (policy in ("any", "heap"))


def test_cpp_header_calls_only_functions_of_the_c_header(tmp_path: Path) -> None:
    out = tmp_path / "net.hpp"
    header, _, exported = _generate_shared_library(tmp_path, _manifest_entry(), f"--out-cpp-header={out}")
    text = out.read_text(encoding="utf-8")
    linked = dict(re.findall(r"#define (net_\w+) (net_\w+)", header))
    called = set(re.findall(r"\b(net_\w+)\(", text))
    assert {linked[name] for name in called} == set(exported)
    assert not re.search(r"\bet_\w+\(", text)
