"""Tests of passes over all methods and over single methods."""

import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
import torch
from torch.export import ExportedProgram

from exir.capture import ExecutorchBackendConfig
from exir.error import EdgeDialectError, PassError
from exir.graph.program_bundle import CompilationContext, ProgramBundle
from exir.operators.operators import builtin_operators
from exir.pass_manager import BundlePass, ProgramPass, run_bundle
from exir.passes import pipeline
from exir.program import EdgeProgramManager, to_edge
from exir.testing import models
from exir.testing.graphs import calls
from exir.verification.verifier import verify_structure


@dataclass(frozen=True)
class See(BundlePass):
    """Records the bundles that it receives."""

    tag: str = ""
    name: ClassVar[str] = "see"

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        bundle.context.diagnostics.note(f"{self.tag}{sorted(bundle.programs)}")
        return bundle


@dataclass(frozen=True)
class Mark(ProgramPass):
    """Records the programs that it runs on."""

    seen: list[ExportedProgram] = field(default_factory=list)
    name: ClassVar[str] = "mark"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        self.seen.append(program)
        return program


def codec(context: CompilationContext | None = None) -> EdgeProgramManager:
    programs = {name: example.export() for name, example in models.codec().items()}
    return to_edge(programs, {"version": 3}, context=context)


def test_method_and_program_passes_share_one_list() -> None:
    context, mark = CompilationContext(), Mark()
    codec(context).transform([See("a "), mark, See("b "), lambda graph_module: None])
    both = "['decode', 'encode']"
    assert context.diagnostics.messages == [f"a {both}", f"b {both}"]
    assert len(mark.seen) == 2


def test_method_pass_receives_only_its_method() -> None:
    context, mark = CompilationContext(), Mark()
    codec(context).transform({"encode": [See(), mark]})
    assert context.diagnostics.messages == ["['encode']"]
    assert len(mark.seen) == 1


def test_program_pass_runs_in_the_last_stage_and_in_pipeline_text() -> None:
    context = CompilationContext()
    codec(context).to_executorch(ExecutorchBackendConfig(passes=[See("last "), Mark()]))
    assert context.diagnostics.messages == ["last ['decode', 'encode']"]
    known: dict[str, Any] = {"see": See, "mark": Mark}
    passes = pipeline.parse("see(tag='x'),mark", known)
    assert passes == (See("x"), Mark()) and pipeline.to_text(passes[:1]) == "see(tag='x')"


def test_build_context_reaches_the_pass() -> None:
    found: list[ProgramBundle] = []

    @dataclass(frozen=True)
    class Keep(See):
        def run(self, bundle: ProgramBundle) -> ProgramBundle:
            found.append(bundle)
            return bundle

    context = CompilationContext(
        builtin_operators(), None, {"sram": 4096}, {"encode": [(torch.ones(2, 8),)]}
    )
    codec(context).transform([Keep()]).to_executorch(ExecutorchBackendConfig(passes=[Keep()]))
    for bundle in found:
        assert bundle.constant_methods == {"version": 3}
        assert bundle.context is context
    assert len(found) == 2


@dataclass(frozen=True)
class Lie(BundlePass):
    """Sets wrong metadata for the last value of `decode`."""

    name: ClassVar[str] = "lie"

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        node = calls(bundle.programs["decode"])[-1]
        with node.meta["val"].fake_mode:
            node.meta["val"] = node.meta["val"].new_empty(9)
        return bundle


def test_every_method_is_verified_after_a_program_pass() -> None:
    with pytest.raises(EdgeDialectError, match=r"float32\[9\], but the operator computes") as caught:
        codec().transform([See(), Lie(), See()])
    assert caught.value.pass_name == "lie"


def test_method_added_by_a_pass_is_verified() -> None:
    @dataclass(frozen=True)
    class Add(See):
        name: ClassVar[str] = "add"

        def run(self, bundle: ProgramBundle) -> ProgramBundle:
            other = codec()._with_programs({"other": codec().exported_program("decode")})
            lying = Lie().run(ProgramBundle({"decode": other.programs["other"]}))
            return bundle.with_programs({"other": lying.programs["decode"]})

    manager = codec()
    with pytest.raises(EdgeDialectError, match=r"float32\[9\], but the operator computes") as caught:
        run_bundle(manager._with_programs(manager._programs), [Add()], verify_structure)
    assert caught.value.pass_name == "add"


def test_failure_names_the_pass() -> None:
    @dataclass(frozen=True)
    class Fail(See):
        name: ClassVar[str] = "fail"

        def run(self, bundle: ProgramBundle) -> ProgramBundle:
            raise KeyError("what")

    with pytest.raises(PassError, match="pass 'fail' failed: 'what'"):
        codec().transform([Fail()])


def test_notes_become_warnings_outside_the_build() -> None:
    with pytest.warns(UserWarning, match=re.escape("seen ['decode', 'encode']")):
        codec().transform([See("seen ")])


def test_note_has_the_models_source_line() -> None:
    context = CompilationContext()
    program = codec().exported_program("encode")
    context.diagnostics.note("slow", calls(program)[-1])
    assert context.diagnostics.messages[0].startswith("slow (exir/testing/models.py:")
