"""Tests that official names can be imported, and missing ones raise errors."""

from __future__ import annotations

import copy
import importlib
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
TABLE = tomllib.loads((HERE / "executorch" / "names.toml").read_text())


def _listed_names() -> Iterator[tuple[str, str]]:
    for module, sources in TABLE.items():
        for names in sources.values():
            yield from ((module, entry.partition("=")[0]) for entry in names.split() if entry != "*")


@pytest.mark.parametrize("module, name", list(_listed_names()))
def test_every_name_in_the_table_is_importable(module: str, name: str) -> None:
    assert getattr(importlib.import_module(f"executorch.{module}"), name) is not None


# Common imports of scripts, partitioners and passes, by official module.
_COMMON = """
devtools: BundledProgram ETRecord
devtools.bundled_program.config: MethodTestCase MethodTestSuite
devtools.bundled_program.core: BundledProgram
devtools.bundled_program.serialize: deserialize_from_flatbuffer_to_bundled_program serialize_from_bundled_program_to_flatbuffer
exir: CallSpec CaptureConfig EdgeCompileConfig EdgeProgramManager ExecutorchBackendConfig ExecutorchProgram
    ExecutorchProgramManager ExirExportedProgram ExportedProgram Value capture load save to_edge to_edge_transform_and_lower
exir._serialize: _deserialize_pte_binary _serialize_pte_binary
exir._serialize._named_data_store: NamedDataStore NamedDataStoreOutput
exir._serialize._program: PTEFile deserialize_pte_binary serialize_pte_binary
exir.backend.backend_api: MethodProgramsPartitionerSpec to_backend
exir.backend.backend_details: BackendDetails PreprocessResult
exir.backend.canonical_partitioners.all_node_partitioner: AllNodePartitioner
exir.backend.canonical_partitioners.config_partitioner: ConfigerationBasedPartitioner PartitionerConfig
exir.backend.canonical_partitioners.duplicate_constant_node_pass: duplicate_constant_node
exir.backend.canonical_partitioners.duplicate_dequant_node_pass: DuplicateDequantNodePass
exir.backend.canonical_partitioners.group_partitioner: GroupBasedPartitioner
exir.backend.canonical_partitioners.pattern_op_partitioner: generate_grouped_partitions_from_list_of_nodes
    generate_partitions_from_list_of_nodes generate_pattern_op_partitions
exir.backend.operator_support: DontPartition DontPartitionModule DontPartitionName any_chain chain
exir.backend.partitioner: DelegationSpec PartitionResult Partitioner
exir.backend.test.backend_with_compiler_demo: BackendWithCompilerDemo
exir.backend.test.backend_with_delegate_mapping_demo: BackendWithDelegateMappingDemo
exir.backend.test.op_partitioner_demo: AddMulPartitionerDemo
exir.backend.utils: DelegateMappingBuilder WhyNoPartition get_delegated_payload get_delegates get_non_lowered_nodes
    is_identical_graph is_shape_dynamic print_delegated_graph remove_first_quant_and_last_dequant
    replace_quantized_partition_with_op tag_constant_data tag_mutated_buffer
exir.capture: CaptureConfig capture
exir.capture._capture: WrapperModule capture patch_forward
exir.capture._config: CaptureConfig EdgeCompileConfig ExecutorchBackendConfig
exir.control_flow: cond map while_loop
exir.delegate: executorch_call_delegate get_lowered_module_name is_lowered_module
exir.dialects._ops: bind_pattern_to_op ops
exir.dim_order_utils: get_dim_order get_memory_format is_channel_last_dim_order is_contiguous_dim_order
exir.emit: EmitterOutput emit_program
exir.error: ExportError ExportErrorType
exir.lowered_backend_module: LoweredBackendModule create_exported_program_from_submodule create_submodule_from_nodes
    get_lowered_submodules
exir.memory_planning: MemoryPlanningAlgorithmSuite Verifier apply_algo greedy naive
exir.pass_base: ExportPass ExportedProgramPassBase ExportedProgramPassResult NodeMetadata PassResult ProxyValue
exir.pass_manager: ExportedProgramPassManager PassManager PassType
exir.passes: ConstPropPass DebugPass EdgeToBackendOpsPass MemoryPlanningPass OpReplacePass RemoveMixedTypeOperators
    RemoveNoopPass ReplaceViewCopyWithViewPass ScalarToTensorPass SpecPropPass SymToTensorPass ToOutVarPass
    dead_code_elimination_pass propagate_dynamic_shape reinplace_pass
exir.passes.constant_prop_pass: constant_prop_pass
exir.passes.cse_pass: CSEPass
exir.passes.quant_fusion_pass: QuantFusionPass quant_fusion_and_const_prop_pass
exir.passes.reinplace: reinplace_pass
exir.passes.sym_shape_eval_pass: ConstraintBasedSymShapeEvalPass HintBasedSymShapeEvalPass
exir.print_program: pretty_print print_program
exir.program._program: EdgeProgramManager ExecutorchProgram ExecutorchProgramManager ExirExportedProgram to_edge
exir.scalar_type: ScalarType
exir.schema: EValue ExecutionPlan Program Tensor
exir.serde.serialize: deserialize load save serialize
exir.sym_util: collect_free_symbols eval_expr eval_shape eval_shape_upper_bound eval_upper_bound
exir.tensor: TensorSpec contiguous_stride_from_shape dim_order_from_stride layout_enum make_tensor_value
    num_bytes_from_shape_and_dtype scalar_type_enum stride_from_dim_order
exir.tracer: ExirDynamoConfig Value
"""


def _common_names() -> Iterator[tuple[str, str]]:
    for entry in _COMMON.replace("\n    ", " ").strip().splitlines():
        module, _, names = entry.partition(":")
        yield from ((module, name) for name in names.split())


@pytest.mark.parametrize("module, name", list(_common_names()))
def test_common_official_name_is_provided(module: str, name: str) -> None:
    assert getattr(importlib.import_module(f"executorch.{module}"), name) is not None


def test_tensor_helpers_match_their_documentation() -> None:
    from executorch.exir.dim_order_utils import get_dim_order, get_memory_format, is_channel_last_dim_order
    from executorch.exir.tensor import TensorSpec, contiguous_stride_from_shape, stride_from_dim_order

    spec = TensorSpec.from_tensor(torch.zeros(2, 3))
    assert spec.nbytes() == 24
    assert tuple(contiguous_stride_from_shape(torch.Size([2, 3, 4]))) == (12, 4, 1)
    assert list(stride_from_dim_order([2, 3, 4, 5], [0, 2, 3, 1])) == [60, 1, 15, 3]
    assert get_memory_format([0, 2, 3, 1]) is torch.channels_last
    assert list(get_dim_order(torch.channels_last, 4)) == [0, 2, 3, 1]
    assert is_channel_last_dim_order(torch.zeros(1, 2, 3, 4).to(memory_format=torch.channels_last))


def test_programs_are_emitted_saved_and_loaded(tmp_path: Path) -> None:
    from executorch.exir import load, save, to_edge
    from executorch.exir.emit import emit_program

    edge = to_edge(torch.export.export(_ScaledModule(), (torch.randn(3),)))
    lowered = edge.to_executorch()
    assert emit_program(lowered.exported_program()).debug_handle_map
    save(edge.exported_program(), tmp_path / "scaled.pt2")
    x = torch.randn(3)
    torch.testing.assert_close(load(tmp_path / "scaled.pt2").module()(x), _ScaledModule()(x))


def test_to_backend_takes_a_whole_program() -> None:
    from executorch.exir import to_edge
    from executorch.exir.backend.canonical_partitioners.all_node_partitioner import AllNodePartitioner
    from executorch.exir.backend.test.backend_with_compiler_demo import BackendWithCompilerDemo
    from executorch.exir.backend.utils import get_delegates

    edge = to_edge(torch.export.export(_SumModule(), (torch.randn(3),)))
    lowered = edge.to_backend(AllNodePartitioner(BackendWithCompilerDemo.__name__, []))
    assert len(get_delegates(lowered.exported_program().graph)) == 1


def test_provided_names_are_our_objects() -> None:
    from executorch.exir import to_edge
    from executorch.exir.passes.remove_noop_pass import RemoveNoopPass

    import exir
    from exir.passes.remove_noops import RemoveNoops

    assert to_edge is exir.to_edge
    assert RemoveNoopPass is RemoveNoops


def test_name_of_module_and_function_resolves_as_in_the_official_package() -> None:
    from executorch.exir import capture
    from executorch.exir.capture import CaptureConfig

    assert callable(capture)
    assert CaptureConfig is not None


@pytest.mark.parametrize("path", ["executorch.exir.no_such", "executorch.backends.nobody.partition"])
def test_missing_module_is_reported_as_not_provided(path: str) -> None:
    with pytest.raises(ImportError, match=r"^executorch\.\S+: not provided by rules_executorch; .*names.toml"):
        importlib.import_module(path)


_ABSENT = tomllib.loads((HERE / "executorch" / "absent.toml").read_text())["reason"]


@pytest.mark.parametrize("reason", _ABSENT, ids=lambda reason: str(len(reason["modules"])))
def test_module_without_a_counterpart_states_the_reason(reason: dict[str, Any]) -> None:
    for module in reason["modules"]:
        message = f"executorch.{module}: not provided by rules_executorch; {reason['why']}"
        with pytest.raises(ImportError, match=f"^{re.escape(message)}$"):
            importlib.import_module(f"executorch.{module}")


def test_missing_name_is_reported_as_not_provided() -> None:
    with pytest.raises(ImportError, match=r"executorch\.exir\.passes\.NoSuchPass: not provided by rules_executorch"):
        from executorch.exir.passes import NoSuchPass  # noqa: F401


def _imported_beside(folders: list[Path]) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*map(str, folders), *sys.path])
    command = [sys.executable, "-c", "import executorch.exir"]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)


def test_installed_official_package_is_refused(tmp_path: Path) -> None:
    (tmp_path / "executorch" / "exir").mkdir(parents=True)
    result = _imported_beside([HERE, tmp_path])
    assert result.returncode != 0
    assert "two packages 'executorch' are on sys.path" in result.stderr
    assert str(tmp_path / "executorch") in result.stderr


def test_compat_package_imports_without_the_official_one() -> None:
    assert _imported_beside([HERE]).returncode == 0


class _ScaledModule(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x) * 2 + 1


class _SumModule(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sin(x) + x


def test_script_with_the_older_api_compiles() -> None:
    from executorch import exir

    captured = exir.capture(_ScaledModule(), (torch.randn(3),), exir.CaptureConfig())
    lowered = captured.to_edge(exir.EdgeCompileConfig(_use_edge_ops=True)).to_executorch()
    assert lowered.buffer[4:8] == b"ET12"


def test_pass_written_for_the_official_package_runs() -> None:
    from executorch.exir import to_edge
    from executorch.exir.dialects._ops import ops as exir_ops
    from executorch.exir.pass_base import ExportPass

    class ReluToSigmoid(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            relu = op == exir_ops.edge.aten.relu.default
            return super().call_operator(exir_ops.edge.aten.sigmoid.default if relu else op, args, kwargs, meta)

    x = torch.randn(3)
    program = to_edge(torch.export.export(_ScaledModule(), (x,))).transform([ReluToSigmoid()]).exported_program()
    torch.testing.assert_close(program.module()(x), torch.sigmoid(x) * 2 + 1)


_PRINTS_CODE = """
import torch
from executorch.exir import to_edge

program = to_edge(torch.export.export(torch.nn.ReLU(), (torch.randn(3),))).exported_program()
print(program.graph_module.code)
"""


def test_graph_code_names_operators_as_the_official_package() -> None:
    """This test runs in another process, to be independent of other imports."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", _PRINTS_CODE], env=environment, capture_output=True, text=True, check=True
    )
    assert "executorch_exir_dialects_edge__ops_aten_relu_default" in done.stdout


def test_passes_can_be_called_on_a_graph_module() -> None:
    from executorch.exir import to_edge
    from executorch.exir.passes import MemoryPlanningPass, SpecPropPass, ToOutVarPass

    graph_module = to_edge(torch.export.export(_ScaledModule(), (torch.randn(3),))).exported_program().graph_module
    for pass_ in (SpecPropPass(), ToOutVarPass(), MemoryPlanningPass()):
        graph_module = pass_(graph_module).graph_module
    assert graph_module.meta["non_const_buffer_sizes"][1] >= 3 * 4


def test_unsupported_feature_is_refused_where_requested() -> None:
    from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig
    from executorch.exir.dynamic_shape import DynamicMemoryPlanningMode

    with pytest.raises(ValueError, match="_use_edge_ops"):
        EdgeCompileConfig(_use_edge_ops=False)
    with pytest.raises(ValueError, match="dynamic_memory_planning_mode"):
        ExecutorchBackendConfig(dynamic_memory_planning_mode=DynamicMemoryPlanningMode.SYMBOLIC)


def test_programs_are_read_and_written_with_official_types() -> None:
    from executorch.exir import to_edge
    from executorch.exir._serialize._program import PTEFile, deserialize_pte_binary, serialize_pte_binary

    buffer = to_edge(torch.export.export(_ScaledModule(), (torch.randn(3),))).to_executorch().buffer
    found = deserialize_pte_binary(buffer)
    again = deserialize_pte_binary(bytes(serialize_pte_binary(PTEFile(found.program))))
    assert again.program.execution_plan == found.program.execution_plan
    assert found.mutable_data is None
    assert found.named_data is None


def test_operator_module_registers_operators_on_import() -> None:
    importlib.import_module("executorch.exir.passes._device_copy_ops_registry")

    x, out = torch.arange(3.0), torch.empty(3)
    assert torch.equal(torch.ops.et_copy._h2d_copy(x), x)
    assert torch.ops.et_copy._d2h_copy.out(x, out=out) is out
    assert torch.equal(out, x)


def test_program_schema_is_written_with_requested_alignments(tmp_path: Path) -> None:
    from executorch.exir._serialize._flatbuffer import _prepare_schema

    written = _prepare_schema(str(tmp_path), constant_tensor_alignment=32, delegate_alignment=64)

    assert (written.tensor_alignment, written.delegate_alignment, written.max_alignment) == (32, 64, 64)
    assert written.file_identifier == b"ET12"
    assert "data: [ubyte] (force_align: 64);" in Path(written.root_path).read_text()
    assert (tmp_path / "scalar_type.fbs").is_file()


def test_edge_operator_lists_its_allowed_dtypes() -> None:
    from executorch.exir.dialects._ops import ops
    from executorch.exir.dialects.edge._ops import FunctionDtypeConstraint

    schema = ops.edge.aten._log_softmax.default._schema
    assert isinstance(schema.dtype_constraint, FunctionDtypeConstraint)
    assert schema.arguments[0].allowed_types == {torch.float16, torch.bfloat16, torch.float32, torch.float64}
    assert not schema.dtype_constraint.validate({"self": torch.int32, "__ret_0": torch.int32})


class _TwiceRead(torch.nn.Module):
    """A weight with two users, and a quantized value with two dequantize calls."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        ops = torch.ops.quantized_decomposed
        limits = (0.1, 0, -128, 127, torch.int8)
        real = ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *limits), *limits)
        summed = torch.sin(real + self.weight) * torch.cos(real * self.weight)
        return ops.dequantize_per_tensor(ops.quantize_per_tensor(summed, *limits), *limits)


def _twice_read() -> torch.export.ExportedProgram:
    import torch.ao.quantization.fx._decomposed
    from executorch.exir import to_edge

    return to_edge(torch.export.export(_TwiceRead(), (torch.randn(3),))).exported_program()


def test_shared_constants_and_dequantize_nodes_are_duplicated() -> None:
    from executorch.exir.backend.canonical_partitioners.duplicate_constant_node_pass import duplicate_constant_node
    from executorch.exir.backend.canonical_partitioners.duplicate_dequant_node_pass import DuplicateDequantNodePass

    program, x = _twice_read(), torch.randn(3)
    expected = program.module()(x)
    assert duplicate_constant_node(program, "p_weight") == {"p_weight_copy_0"}
    DuplicateDequantNodePass()(program.graph_module)
    names = ("p_weight", "p_weight_copy_0", "quantized_decomposed_dequantize_per_tensor_default")
    assert [len(node.users) for node in program.graph.nodes if node.name in names] == [1, 1, 1]
    torch.testing.assert_close(program.module()(x), expected)
    with pytest.raises(RuntimeError, match="placeholder 'x' is an input of the program"):
        duplicate_constant_node(program, "x")


def test_quantized_partitions_are_found_in_graphs() -> None:
    from executorch.exir.backend.utils import remove_first_quant_and_last_dequant

    graph_module = _twice_read().graph_module
    remove_first_quant_and_last_dequant(graph_module)
    result = graph_module.graph.output_node().all_input_nodes
    assert [node.meta["val"].dtype for node in result] == [torch.int8]
    calls = [str(node.target) for node in graph_module.graph.nodes if node.op == "call_function"]
    assert sum("quantize_per_tensor" in call for call in calls) == 2


def test_quantized_partition_becomes_one_call() -> None:
    from executorch.exir.backend.utils import replace_quantized_partition_with_op
    from torch.fx.passes.utils.source_matcher_utils import SourcePartition

    graph_module = _twice_read().graph_module
    inside = [node for node in graph_module.graph.nodes if node.op == "call_function"][2:-2]
    partition = SourcePartition(inside, torch.add)
    call, dequantizing, quantizing = replace_quantized_partition_with_op(graph_module, partition, torch.ops.aten.mul)
    assert call.target is torch.ops.aten.mul and len(dequantizing) == len(quantizing) == 1
    assert all("dequantize_per_tensor" in str(user.target) for user in call.users) and len(call.users) == 1


def test_delegate_mapping_reports_executed_ops() -> None:
    from executorch.exir.delegate import is_lowered_module

    assert not is_lowered_module(_SumModule())


class _QuantizedSum(torch.nn.Module):
    """A quantized addition whose result is reshaped and dequantized again."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ops = torch.ops.quantized_decomposed
        x, y = (ops.dequantize_per_tensor(ops.quantize_per_tensor(operand, *_LIMITS), *_LIMITS) for operand in (x, y))
        total = ops.dequantize_per_tensor(ops.quantize_per_tensor(x + y, *_LIMITS), *_LIMITS).reshape(-1)
        return ops.dequantize_per_tensor(ops.quantize_per_tensor(total, *_LIMITS), *_LIMITS)


_LIMITS = (0.05, 3, -128, 127, torch.int8)


def test_ops_between_int8_values_fuse_to_official_operators() -> None:
    import torch.ao.quantization.fx._decomposed
    from executorch.exir import ExecutorchBackendConfig, to_edge
    from executorch.exir.passes import QuantFusionPass

    inputs = (torch.randn(2, 3), torch.randn(2, 3))
    manager = to_edge(torch.export.export(_QuantizedSum(), inputs))
    program = manager.transform([QuantFusionPass(_fix_node_meta_val=True)]).exported_program()
    calls = [node.target._op._opname for node in program.graph.nodes if node.op == "call_function"]
    assert calls == ["quantize_per_tensor", "quantize_per_tensor", "add", "view_copy", "dequantize_per_tensor"]
    torch.testing.assert_close(program.module()(*inputs), _QuantizedSum()(*inputs), rtol=0, atol=0.05)
    lowered = manager.to_executorch(ExecutorchBackendConfig(do_quant_fusion_and_const_prop=True))
    assert "quantized_decomposed.add.out" in lowered.exported_program().graph_module.code


def test_bundled_program_contains_its_calls() -> None:
    from executorch.devtools import BundledProgram
    from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
    from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
    from executorch.exir import to_edge

    x = torch.randn(3)
    program = to_edge(torch.export.export(_ScaledModule(), (x,))).to_executorch()
    suites = [MethodTestSuite(method_name="forward", test_cases=[MethodTestCase([x], [_ScaledModule()(x)])])]
    assert serialize_from_bundled_program_to_flatbuffer(BundledProgram(program, suites))[4:8] == b"BP08"


class _CountingModule(torch.nn.Module):
    """Adds its input and a weight to a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3))
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(x + self.weight)
        return torch.sin(self.count)


def test_lowered_submodule_owns_its_tagged_constants() -> None:
    from executorch.exir import to_edge
    from executorch.exir.lowered_backend_module import (
        create_exported_program_from_submodule,
        create_submodule_from_nodes,
    )

    module, x = _CountingModule(), torch.randn(3)
    program = to_edge(torch.export.export(copy.deepcopy(module), (x,))).exported_program()
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    for node in [*calls, *program.graph.find_nodes(op="placeholder")]:
        node.meta["delegation_tag"] = "part"
    inner, call = create_submodule_from_nodes(program.graph_module, calls, "part")
    submodule, inputs, outputs = create_exported_program_from_submodule(inner, program, "part", call, False)
    assert {spec.target for spec in inputs.values()} == {"weight", "count"}
    assert [spec.target for spec in outputs.values()] == ["count"]
    submodule.validate()
    for _ in range(2):
        (result,) = submodule.module()(x)
        torch.testing.assert_close(result, module(x))


class _WeightedModule(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight


def test_stored_constants_are_found_by_node_name() -> None:
    from executorch.exir import to_edge
    from executorch.exir.passes.quant_fusion_pass import _get_node_value_dict

    module = _WeightedModule()
    program = to_edge(torch.export.export(module, (torch.randn(3),))).exported_program()
    (name, value), *others = _get_node_value_dict(program).items()
    assert not others and torch.equal(value, module.weight)
    assert name in {node.name for node in program.graph.nodes}


def test_cross_device_delegate_is_refused_by_the_copy_pass() -> None:
    from executorch.exir import to_edge
    from executorch.exir.backend.canonical_partitioners.all_node_partitioner import AllNodePartitioner
    from executorch.exir.backend.compile_spec_schema import CompileSpec
    from executorch.exir.backend.test.backend_with_compiler_demo import BackendWithCompilerDemo
    from executorch.exir.passes.propagate_device_pass import (
        TARGET_DEVICE_COMPILE_SPEC_KEY,
        PropagateDevicePass,
        _parse_device_spec_value,
    )
    from executorch.exir.schema import DeviceType

    assert _parse_device_spec_value(b" CUDA:1 ") == (DeviceType.CUDA, 1)
    assert _parse_device_spec_value(b"cpu") == (DeviceType.CPU, 0)
    with pytest.raises(ValueError, match="Unknown device type 'tpu'"):
        _parse_device_spec_value(b"tpu:0")
    edge = to_edge(torch.export.export(_SumModule(), (torch.randn(3),)))
    whole = AllNodePartitioner(BackendWithCompilerDemo.__name__, [])
    graph_module = edge.to_backend(whole).exported_program().graph_module
    assert not PropagateDevicePass()(graph_module).modified
    (lowered,) = graph_module.children()
    lowered.compile_specs.append(CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, b"cuda:0"))
    with pytest.raises(ValueError, match="runs on cuda:0, as backend"):
        PropagateDevicePass()(graph_module)


def test_skipping_device_copies_is_refused() -> None:
    from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig

    assert PropagateDeviceConfig(skip_h2d_for_method_inputs={"forward": False}) is not None
    with pytest.raises(ValueError, match="'skip_d2h_for_method_outputs' is not supported"):
        PropagateDeviceConfig(skip_d2h_for_method_outputs=True)


def test_dtype_names_match_the_official_tables() -> None:
    from executorch.exir.dialects.edge.dtype.supported import regular_tensor_dtypes_to_str, regular_tensor_str_to_dtypes

    assert regular_tensor_dtypes_to_str[torch.int64] == "Long" and regular_tensor_str_to_dtypes["Half"] is torch.float16
