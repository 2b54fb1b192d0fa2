"""Passes over programs, and the pipeline that runs and verifies them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Union

from torch.export import ExportedProgram
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassResult

from exir.bundle import ProgramBundle
from exir.error import ExirError, PassError
from exir.graph.graph_program import program_around
from exir.graph.program_update import with_graph_module, with_names_of_graph
from exir.pass_base import ExportedProgramPassBase
from exir.verification.sizes import sizes_kept
from exir.verification.values import ValueChecker


@dataclass(frozen=True)
class ProgramPass(ABC):
    """One step of the compiler over the program of one method.

    A subclass is a frozen dataclass: `name` is how the pipeline's text form spells it, its
    fields are its options, its docstring is its contract (what must hold before, what holds
    after), and `ensures` proves what holds after.
    """

    name: ClassVar[str]

    @abstractmethod
    def run(self, program: ExportedProgram) -> ExportedProgram:
        """The transformed program: `program` itself, changed in place, or a new one."""

    def ensures(self, program: ExportedProgram) -> None:
        """Raise an `ExirError` when `program` is not as the contract promises."""

    def __call__(self, graph_module: GraphModule) -> PassResult:
        """Run on a graph that has no program, as if a program had its placeholders as inputs."""
        return PassResult(self.run(program_around(graph_module)).graph_module, True)


@dataclass(frozen=True)
class BundlePass(ABC):
    """One step of the compiler over all methods at once, with what is known about the target.

    A subclass is written as one of `ProgramPass` is. Methods may share tensors and facts; a pass
    that needs to see one method alone is a `ProgramPass`.
    """

    name: ClassVar[str]

    @abstractmethod
    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        """The transformed bundle; programs may be changed in place."""

    def ensures(self, bundle: ProgramBundle) -> None:
        """Raise an `ExirError` when `bundle` is not as the contract promises."""

    def __call__(self, graph_module: GraphModule) -> PassResult:
        """Run on a graph that has no program, as if a program had its placeholders as inputs."""
        bundle = self.run(ProgramBundle({"forward": program_around(graph_module)}))
        return PassResult(bundle.programs["forward"].graph_module, True)


# What users may hand in where a pass is wanted.
PassType = Union[
    BundlePass, ProgramPass, ExportedProgramPassBase, Callable[[GraphModule], PassResult | None]
]
Verify = Callable[[ExportedProgram], None]


@dataclass(frozen=True)
class GraphModulePass(ProgramPass):
    """A user's pass over a graph module (an `ExportPass` or a function), run on a program.

    Before: nothing. After: the program holds the graph module that the pass returned, its
    signature names that graph's inputs and outputs.
    """

    function: Callable[[GraphModule], PassResult | None]
    name: ClassVar[str] = "graph_module_pass"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        result = self.function(program.graph_module)
        return program if result is None else with_graph_module(program, result.graph_module)


@dataclass(frozen=True)
class WholeProgramPass(ProgramPass):
    """A user's `ExportedProgramPassBase`, run on a program.

    Before: nothing. After: the program that the pass returned, its signature named as its graph is.
    """

    function: ExportedProgramPassBase
    name: ClassVar[str] = "exported_program_pass"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        return self.function(program).exported_program


@dataclass(frozen=True)
class EachMethod(BundlePass):
    """A pass over programs, run on every method by itself.

    Before and after: as the pass has it, for every method.
    """

    step: ProgramPass
    name: ClassVar[str] = "each_method"

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        return bundle.with_programs({n: self.step.run(p) for n, p in bundle.programs.items()})

    def ensures(self, bundle: ProgramBundle) -> None:
        for program in bundle.programs.values():
            self.step.ensures(program)


@dataclass(frozen=True)
class OnMethods(BundlePass):
    """A pass that sees some of the methods, and leaves the others as they are.

    Before and after: as the pass has it, for these methods.
    """

    step: BundlePass
    methods: tuple[str, ...]
    name: ClassVar[str] = "on_methods"

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        return bundle.with_programs(self.step.run(bundle.only(self.methods)).programs)

    def ensures(self, bundle: ProgramBundle) -> None:
        self.step.ensures(bundle.only(self.methods))


def as_program_pass(
    given: ProgramPass | ExportedProgramPassBase | Callable[[GraphModule], PassResult | None],
) -> ProgramPass:
    """`given` as a pass over programs."""
    if isinstance(given, ExportedProgramPassBase):
        return WholeProgramPass(given)
    return given if isinstance(given, ProgramPass) else GraphModulePass(given)


def as_bundle_pass(given: PassType, methods: Iterable[str] | None = None) -> BundlePass:
    """`given` as a pass over a bundle, or over these methods of one."""
    step = given if isinstance(given, BundlePass) else EachMethod(as_program_pass(given))
    return step if methods is None else OnMethods(step, tuple(methods))


def pass_name(given: PassType) -> str:
    """How messages name a pass: its text name, its function's or its class's name."""
    while isinstance(given, (EachMethod, OnMethods)):
        given = given.step
    if isinstance(given, (GraphModulePass, WholeProgramPass)):
        given = given.function
    own = getattr(given, "name", None) or getattr(given, "__name__", None)
    return own if isinstance(own, str) else type(given).__name__


def run_passes(
    program: ExportedProgram, passes: Iterable[PassType], verify: Verify | None = None
) -> ExportedProgram:
    """`run_bundle` on one program, the method `forward`."""
    bundle = run_bundle(ProgramBundle({"forward": program}), passes, verify)
    return bundle.programs["forward"]


def run_bundle(
    bundle: ProgramBundle, passes: Iterable[PassType], verify: Verify | None = None
) -> ProgramBundle:
    """Run `passes` in order, checking each one's promise, and with `verify` the IR after each
    and that values are what the nodes compute.

    Raises `PassError` with the pass's name and, where one is to blame, the node.
    """
    checks = None if verify is None else _Checks(bundle, verify)
    for each in passes:
        bundle = _run_one(as_bundle_pass(each), bundle, checks)
    return bundle


class _Checks:
    """The checks of every method after each pass."""

    def __init__(self, bundle: ProgramBundle, verify: Verify) -> None:
        self._verify = verify
        self._values = {name: ValueChecker(program) for name, program in bundle.programs.items()}

    def __call__(self, bundle: ProgramBundle) -> None:
        for name, program in bundle.programs.items():
            self._verify(program)
            if name not in self._values:
                self._values[name] = ValueChecker()
            self._values[name](program)


def _run_one(each: BundlePass, bundle: ProgramBundle, checks: _Checks | None) -> ProgramBundle:
    try:
        with sizes_kept(bundle.programs.values(), f"pass '{pass_name(each)}'"):
            bundle = each.run(bundle)
            for program in bundle.programs.values():
                with_names_of_graph(program)
            each.ensures(bundle)
            if checks is not None:
                checks(bundle)
    except ExirError as error:
        error.pass_name = error.pass_name or pass_name(each)
        raise
    except Exception as error:
        raise PassError(f"pass '{pass_name(each)}' failed: {error}") from error
    return bundle
