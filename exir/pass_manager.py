"""Passes over programs, and the pass manager that runs and verifies them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Union

from torch.export import ExportedProgram
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassResult

from exir.error import ExirError, PassError
from exir.graph.graph_program import program_around
from exir.graph.program_bundle import ProgramBundle
from exir.graph.program_update import with_graph_module, with_names_of_graph
from exir.pass_base import ExportedProgramPassBase
from exir.verification.sizes import check_sizes_unchanged
from exir.verification.values import ValueChecker


@dataclass(frozen=True)
class ProgramPass(ABC):
    """A pass over the program of one method.

    A subclass is a frozen dataclass. `name` is its name in the text form of a pipeline, its fields
    are its options, and its docstring is its contract: the conditions before and after it.
    `ensures` verifies the conditions after it.
    """

    name: ClassVar[str]

    @abstractmethod
    def run(self, program: ExportedProgram) -> ExportedProgram:
        """Return the transformed program: `program`, changed in place, or a new one."""

    def ensures(self, program: ExportedProgram) -> None:
        """Raise an `ExirError` if `program` violates the contract."""

    def __call__(self, graph_module: GraphModule) -> PassResult:
        """Run on a bare graph, as if its placeholders were a program's inputs."""
        return PassResult(self.run(program_around(graph_module)).graph_module, True)


@dataclass(frozen=True)
class BundlePass(ABC):
    """A pass over all methods at once, with the context of the compilation.

    A subclass is written like a `ProgramPass`. Methods can share tensors; a pass that
    needs only one method is a `ProgramPass`.
    """

    name: ClassVar[str]

    @abstractmethod
    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        """Return the transformed bundle. Programs can be changed in place."""

    def ensures(self, bundle: ProgramBundle) -> None:
        """Raise an `ExirError` if `bundle` violates the contract."""

    def __call__(self, graph_module: GraphModule) -> PassResult:
        """Run on a bare graph, as if its placeholders were a program's inputs."""
        bundle = self.run(ProgramBundle({"forward": program_around(graph_module)}))
        return PassResult(bundle.programs["forward"].graph_module, True)


# The kinds of passes that users can provide.
PassType = Union[
    BundlePass, ProgramPass, ExportedProgramPassBase, Callable[[GraphModule], PassResult | None]
]
Verify = Callable[[ExportedProgram], None]


@dataclass(frozen=True)
class GraphModulePass(ProgramPass):
    """A user-defined pass over a graph module: an `ExportPass` or a function.

    Before: nothing. After: the program has the returned graph module, and its signature has the
    names of that graph.
    """

    function: Callable[[GraphModule], PassResult | None]
    name: ClassVar[str] = "graph_module_pass"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        result = self.function(program.graph_module)
        return program if result is None else with_graph_module(program, result.graph_module)


@dataclass(frozen=True)
class WholeProgramPass(ProgramPass):
    """A user-defined `ExportedProgramPassBase`.

    Before: nothing. After: the returned program, whose signature has the names of its graph.
    """

    function: ExportedProgramPassBase
    name: ClassVar[str] = "exported_program_pass"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        return self.function(program).exported_program


@dataclass(frozen=True)
class EachMethod(BundlePass):
    """A pass over programs that runs on every method separately.

    Before and after: the conditions of the pass, for every method.
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
    """A pass over some of the methods; the others stay unchanged.

    Before and after: the conditions of the pass, for these methods.
    """

    step: BundlePass
    methods: tuple[str, ...]
    name: ClassVar[str] = "on_methods"

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        return bundle.with_programs(self.step.run(bundle.only(self.methods)).programs)

    def ensures(self, bundle: ProgramBundle) -> None:
        self.step.ensures(bundle.only(self.methods))


def as_program_pass(
    pass_: ProgramPass | ExportedProgramPassBase | Callable[[GraphModule], PassResult | None],
) -> ProgramPass:
    """Return `pass_` as a pass over programs."""
    if isinstance(pass_, ExportedProgramPassBase):
        return WholeProgramPass(pass_)
    return pass_ if isinstance(pass_, ProgramPass) else GraphModulePass(pass_)


def as_bundle_pass(pass_: PassType, methods: Iterable[str] | None = None) -> BundlePass:
    """Return `pass_` as a pass over a bundle, or over some of its methods."""
    step = pass_ if isinstance(pass_, BundlePass) else EachMethod(as_program_pass(pass_))
    return step if methods is None else OnMethods(step, tuple(methods))


def pass_name(pass_: PassType) -> str:
    """Return a pass's name for messages: that of its text form, function or class."""
    while isinstance(pass_, (EachMethod, OnMethods)):
        pass_ = pass_.step
    if isinstance(pass_, (GraphModulePass, WholeProgramPass)):
        pass_ = pass_.function
    name = getattr(pass_, "name", None) or getattr(pass_, "__name__", None)
    return name if isinstance(name, str) else type(pass_).__name__


def run_passes(
    program: ExportedProgram, passes: Iterable[PassType], verify: Verify | None = None
) -> ExportedProgram:
    """Run passes on one program, as the method `forward`."""
    bundle = run_bundle(ProgramBundle({"forward": program}), passes, verify)
    return bundle.programs["forward"]


def run_bundle(
    bundle: ProgramBundle, passes: Iterable[PassType], verify: Verify | None = None
) -> ProgramBundle:
    """Run `passes` in order, and verify after each one.

    A pass must keep its own contract. With `verify`, the programs must also be valid, and value
    metadata must be correct. Raises a `PassError` that names the pass and, if known, the node.
    """
    checks = None if verify is None else _MethodChecks(bundle, verify)
    for pass_ in passes:
        bundle = _run_one(as_bundle_pass(pass_), bundle, checks)
    return bundle


class _MethodChecks:
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


def _run_one(pass_: BundlePass, bundle: ProgramBundle, checks: _MethodChecks | None) -> ProgramBundle:
    try:
        remedy = "run its operators on fake tensors within exir.graph.fake_mode.dispatch_for"
        with check_sizes_unchanged(bundle.programs.values(), f"pass '{pass_name(pass_)}'", remedy):
            bundle = pass_.run(bundle)
            for program in bundle.programs.values():
                with_names_of_graph(program)
            pass_.ensures(bundle)
            if checks is not None:
                checks(bundle)
    except ExirError as error:
        error.pass_name = error.pass_name or pass_name(pass_)
        raise
    except Exception as error:
        raise PassError(f"pass '{pass_name(pass_)}' failed: {error}") from error
    return bundle
