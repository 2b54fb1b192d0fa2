"""The result of a model's entry point: the module, and how to export it."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram

from exir.decomposition.recurrence import dynamic_recurrence
from exir.error import ModelError
from exir.graph.program_bundle import Calls
from exir.model.plain_state import PlainWrites, reject_lost_state
from exir.model.tracing import TracedConstructs, submodules_keep_assigned_buffers
from exir.verification.comparisons import observe_comparisons

# The types that a constant method can return.
CONSTANT_TYPES = (bool, int, float, str, torch.Tensor)


@dataclass(frozen=True)
class MethodSpec:
    """A method of a program in addition to `forward`.

    example_args, example_kwargs: example inputs for the export.
    dynamic_shapes: the dynamic shapes, in a format of `torch.export.export`.
    function: the attribute of the module to call; by default, the name of the method.
    module: the module of the method; by default, the module of the `ModelSpec`.
    """

    example_args: tuple[Any, ...]
    example_kwargs: Mapping[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None
    function: str | None = None
    module: nn.Module | None = None


@dataclass(frozen=True)
class ModelSpec:
    """A model to compile.

    module: the module; it is put into eval mode before the export.
    example_args, example_kwargs: example inputs of `forward`; None for a program without `forward`.
    dynamic_shapes: the dynamic shapes, in a format of `torch.export.export`.
    methods: other methods by name; shared constants are stored once.
    constant_methods: methods that return a constant, by name.
    calibration_inputs: representative inputs, for quantization and for passes that measure: for
        each method, tuples of arguments or a function that returns them.
    map_weights: function from the tensors of the weights file, by their names, to the tensors of
        `module`, by their names in its state dict. By default, the names are equal.
    exchangeable: qualified names of parameters and buffers whose values other files can replace. With
        `external_weights`, only these are in the weights file, under their names.
    """

    module: nn.Module
    example_args: tuple[Any, ...] | None = None
    example_kwargs: Mapping[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None
    methods: Mapping[str, MethodSpec] = field(default_factory=dict)
    constant_methods: Mapping[str, Any] = field(default_factory=dict)
    calibration_inputs: Mapping[str, Calls] = field(default_factory=dict)
    map_weights: Callable[[Mapping[str, Tensor]], Mapping[str, Tensor]] | None = None
    exchangeable: Collection[str] = ()

    def __post_init__(self) -> None:
        _check_module("module", self.module)
        _check_has_methods(self)
        if self.example_args is not None:
            _check_inputs("example_args", self.example_args, self.example_kwargs)
        for name, method in self.methods.items():
            _check_method(name, method)
        for name, value in self.constant_methods.items():
            _check_constant_method(name, value, self)
        unknown = sorted(self.calibration_inputs.keys() - self.resolved_methods().keys())
        if unknown:
            raise ModelError(
                f"'calibration_inputs': unknown method '{unknown[0]}'; use the name of a method of the model"
            )

    def resolved_methods(self) -> dict[str, "Method"]:
        """Return every method that runs the model: `forward` first, then by name."""
        found = {}
        if self.example_args is not None:
            found["forward"] = Method(
                self.module, "forward", self.example_args, self.example_kwargs, self.dynamic_shapes
            )
        for name, spec in sorted(self.methods.items()):
            found[name] = _resolve_method(name, spec, self.module)
        return found


@dataclass(frozen=True)
class Method:
    """A method with its module and its inputs."""

    module: nn.Module
    function: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    dynamic_shapes: Any

    def as_module(self, module: nn.Module | None = None) -> nn.Module:
        """Return a module whose `forward` is this method.

        It shares all state with `module`, by default the method's own module.
        """
        owner = self.module if module is None else module
        if self.function == "forward":
            return owner
        view = _shallow_copy(owner)
        view.forward = MethodType(_named_forward(getattr(type(owner), self.function)), view)
        return view

    def export(self) -> ExportedProgram:
        """Export the method.

        Raises the errors of `torch.export.export`, and `ModelError` if the export would lose state.
        """
        module = self.as_module()
        plain = PlainWrites(module)
        observe_comparisons()
        with (
            TracedConstructs(),
            dynamic_recurrence(),
            submodules_keep_assigned_buffers(module),
            plain,
        ):
            program = torch.export.export(
                module,
                self.args,
                dict(self.kwargs),
                dynamic_shapes=self.dynamic_shapes,
                strict=False,
            )
        reject_lost_state(module, self.args, self.kwargs, plain.writes)
        return program


def as_model_spec(returned: Any, where: str) -> ModelSpec:
    """Return the result of an entry point as a `ModelSpec`; messages include `where`."""
    if isinstance(returned, ModelSpec):
        return returned
    if isinstance(returned, tuple) and len(returned) == 2:
        return ModelSpec(module=returned[0], example_args=returned[1])
    raise ModelError(
        f"{where} must return (module, example_inputs) or an exir.ModelSpec, got {_describe_type(returned)}"
    )


def _shallow_copy(module: nn.Module) -> nn.Module:
    """Return a copy that shares parameters, buffers and submodules with the module."""
    view = object.__new__(type(module))
    view.__dict__.update(module.__dict__)
    return view


def _named_forward(function: Any) -> Any:
    """Rename `function` to `forward`, because torch records only its source lines."""
    if not isinstance(function, FunctionType):
        return function
    code = function.__code__.replace(co_name="forward")
    renamed = FunctionType(
        code, function.__globals__, "forward", function.__defaults__, function.__closure__
    )
    renamed.__kwdefaults__ = function.__kwdefaults__
    renamed.__dict__.update(function.__dict__)  # such as the shapes of @dynamic_spec
    return renamed


def _resolve_method(name: str, spec: MethodSpec, default: nn.Module) -> Method:
    owner = default if spec.module is None else spec.module
    function = spec.function or (name if hasattr(owner, name) else "forward")
    if spec.module is None and function == "forward" and spec.function is None:
        raise ModelError(
            f"method '{name}': {type(owner).__name__} has no function '{name}'; name the method after "
            "a function of the module, or pass MethodSpec(function=...)"
        )
    if not callable(getattr(type(owner), function, None)):
        raise ModelError(
            f"method '{name}': {type(owner).__name__} has no function '{function}'; define it, or correct the name"
        )
    return Method(owner, function, spec.example_args, spec.example_kwargs, spec.dynamic_shapes)


def _check_module(name: str, module: Any) -> None:
    if not isinstance(module, nn.Module):
        raise ModelError(f"'{name}' must be a torch.nn.Module, got {_describe_type(module)}")


def _check_has_methods(spec: ModelSpec) -> None:
    if spec.example_args is None and not spec.methods:
        raise ModelError("ModelSpec has no methods; pass 'example_args' for forward, or 'methods'")
    if "forward" in spec.methods and spec.example_args is not None:
        raise ModelError(
            "method 'forward' is defined twice, by 'example_args' and in 'methods'; remove one"
        )


def _check_inputs(name: str, args: Any, kwargs: Any) -> None:
    if not isinstance(args, tuple):
        hint = "; write (x,) for one input" if isinstance(args, torch.Tensor) else ""
        raise ModelError(f"{name} must be a tuple of inputs, got {_describe_type(args)}{hint}")
    if not isinstance(kwargs, Mapping):
        raise ModelError(f"example_kwargs must map names to inputs, got {_describe_type(kwargs)}")


def _check_method(name: str, method: Any) -> None:
    if not isinstance(name, str) or not name.isidentifier():
        raise ModelError(f"a method's name must be an identifier, got {name!r}")
    if not isinstance(method, MethodSpec):
        raise ModelError(f"method '{name}' must be a MethodSpec, got {_describe_type(method)}")
    if method.module is not None:
        _check_module(f"methods['{name}'].module", method.module)
    _check_inputs(f"example_args of method '{name}'", method.example_args, method.example_kwargs)


def _check_constant_method(name: str, value: Any, spec: ModelSpec) -> None:
    if not isinstance(name, str) or not name.isidentifier():
        raise ModelError(f"a constant method's name must be an identifier, got {name!r}")
    if name in spec.methods or (name == "forward" and spec.example_args is not None):
        raise ModelError(f"'{name}' is both a method and a constant method; rename one")
    items = value if isinstance(value, (list, tuple)) else [value]
    for item in items:
        if not isinstance(item, CONSTANT_TYPES):
            raise ModelError(
                f"constant method '{name}' must return a bool, int, float, str or tensor, or a list of "
                f"these, got {_describe_type(item)}"
            )


def _describe_type(value: Any) -> str:
    """Return a short description of the type of `value`."""
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    return "None" if value is None else f"a {type(value).__name__}"
