"""The C tables of a library's models, which bindings load by index.

The structs have the names `<binding>_method` and `<binding>_spec`, and their fields start alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rules.codegen.model import CodegenError, Model
from rules.codegen.names import c_string
from rules.interface.description import Method

_SPEC = """\
    {{
        .digest = INT64_C({digest}),
        .registry = &{prefix}_registry,
        .program = {program},
        .weights = {weights},
        .has_weights = {has_weights},
{fields}        .methods = methods_{index},
        .method_count = {method_count},
    }},
"""


@dataclass(frozen=True)
class Spec:
    """A model in the tables.

    digest: of the interface, which the native code and the other language compare.
    borrowed: files that the caller provides: "program", "weights".
    fields: other fields of the struct.
    """

    model: Model
    digest: int
    borrowed: Sequence[str]
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def embedded(self) -> dict[str, int]:
        """The sizes of the files that the library contains."""
        interface = self.model.interface
        sizes = {"program": interface.program_bytes}
        if interface.weights is not None:
            sizes["weights"] = interface.weights.nbytes
        return {file: size for file, size in sizes.items() if file not in self.borrowed}


def spec_source(binding: str, specs: Sequence[Spec]) -> str:
    """Return `<binding>_specs`, `<binding>_spec_count` and their declarations."""
    parts = [*map(_declarations, specs), "\n"]
    parts += [_method_table(binding, index, spec.model) for index, spec in enumerate(specs)]
    entries = "".join(_entry(index, spec) for index, spec in enumerate(specs))
    parts.append(f"\nconst {binding}_spec {binding}_specs[] = {{\n{entries}}};\n")
    parts.append(f"\nconst size_t {binding}_spec_count = {len(specs)};\n")
    return "".join(parts)


def _declarations(spec: Spec) -> str:
    prefix = spec.model.link_prefix
    files = (f"extern const uint8_t {prefix}_{file}_data[{size}];\n" for file, size in spec.embedded.items())
    return f"extern const et_registry {prefix}_registry;\n" + "".join(files)


def _method_table(binding: str, index: int, model: Model) -> str:
    lines = "".join(map(_method_entry, model.interface.methods))
    return f"static const {binding}_method methods_{index}[] = {{\n{lines}}};\n"


def _method_entry(method: Method) -> str:
    if "\0" in method.name:
        raise CodegenError(f"method {method.name!r} has a NUL in its name; rename it")
    shared = 0 if method.memory.shared is None else method.memory.shared + 1
    return f'    {{"{c_string(method.name)}", {shared}}},\n'


def _entry(index: int, spec: Spec) -> str:
    model, embedded = spec.model, spec.embedded
    spans = {
        file: f"{{{model.link_prefix}_{file}_data, {embedded[file]}}}" if file in embedded else "{0}"
        for file in ("program", "weights")
    }
    return _SPEC.format(
        digest=spec.digest,
        prefix=model.link_prefix,
        program=spans["program"],
        weights=spans["weights"],
        has_weights=str(model.interface.weights is not None).lower(),
        fields="".join(f"        .{name} = {value},\n" for name, value in spec.fields.items()),
        index=index,
        method_count=len(model.interface.methods),
    )
