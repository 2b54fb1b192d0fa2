"""Java functions of a method, and the class of its outputs."""

from collections.abc import Iterator, Sequence

from rules.codegen.java_model import JavaModel
from rules.codegen.java_names import (
    accessor_names,
    function_names,
    into_name,
    javadoc,
    javadoc_lines,
    output_classes,
    parameter_names,
    unused,
)
from rules.codegen.java_types import (
    API,
    SCALARS,
    buffer_type,
    describe,
    dtype_constant,
    element_count,
    element_type,
    is_shaped,
    not_null,
    output_type,
)
from rules.interface.description import Range, Slot

_FUNCTION = """
  /**
   * {title}
{doc}{parameter_docs}   */
  public {result} {name}({parameters}) {{
{checks}    org.executorch.bazel.Call call = this.methods.begin({index});
    try {{
{sets}      call.run();
{value}    }} finally {{
      call.end();
    }}
  }}
"""

_OUTPUTS = """
  /** Outputs of {{@code {method}}}. */
  public static final class {name} {{
{fields}
    private {name}({parameters}) {{
{assignments}    }}
{accessors}  }}
"""

_ACCESSOR = """
    /**
     * Returns {description}.
     *
     * @return the output
     */
    public {type} {name}() {{
      return this.{field};
    }}
"""


class MethodWriter:
    """Writes the functions of one method."""

    def __init__(self, entry: JavaModel, index: int) -> None:
        interface = entry.model.interface
        self._index = index
        self._method = method = interface.methods[index]
        self._name = function_names(interface)[method.name]
        self._class = output_classes(interface, entry.class_name)[method.name]
        self._arguments = method.arguments
        self._outputs = [slot for slot in method.outputs if slot.kind == "tensor" or slot.kind in SCALARS]
        self._variables = parameter_names(self._arguments, method)
        self._fields = parameter_names(self._outputs, method)
        self._accessors = accessor_names(self._outputs, method)
        names = list(self._variables.values())
        self._size_variables = {
            slot.index: unused(f"{self._variables[slot.index]}Sizes", names)
            for slot in self._arguments
            if slot.kind == "tensor" and is_shaped(slot)
        }
        taken = [*names, *self._size_variables.values(), "call", "java", "org"]
        self._targets = {slot.index: unused(name, taken) for slot, name in zip(self._outputs, self._fields.values())}

    def constants(self) -> str:
        """Return the sizes of inputs and the dim orders of outputs."""
        lines = [
            (
                f"SIZES_{self._index}_{slot.index}",
                [-1 if isinstance(size, Range) else size for size in self._sizes(slot)],
            )
            for slot in self._arguments
            if slot.kind == "tensor" and slot.index not in self._size_variables
        ]
        lines += [
            (f"ORDER_{self._index}_{slot.index}", list(slot.dim_order))
            for slot in self._outputs
            if slot.kind == "tensor"
        ]
        return "".join(
            f"  private static final int[] {name} = {{{', '.join(map(str, ints))}}};\n" for name, ints in lines
        )

    def _sizes(self, slot: Slot) -> Sequence[int | Range]:
        return slot.sizes if slot.is_dynamic else slot.shape

    def functions(self) -> str:
        has_tensors = any(slot.kind == "tensor" for slot in self._arguments)
        texts = [self._function(with_buffers=False)]
        if has_tensors:
            texts.append(self._function(with_buffers=True))
        if self._outputs and all(slot.kind == "tensor" for slot in self._outputs):
            texts.append(self._into_function())
        return "".join(texts)

    def _function(self, *, with_buffers: bool) -> str:
        returned = self._return_doc()
        return _FUNCTION.format(
            title=self._title(" with elements of buffers, from position to limit" if with_buffers else ""),
            doc=self._doc(),
            parameter_docs=self._docs([*self._input_docs(), *returned]),
            result=not_null(self._result_type()),
            name=self._name,
            parameters=", ".join(self._parameters(with_buffers)),
            checks="",
            index=self._index,
            sets="".join(map(self._set, self._arguments)),
            value=self._value(),
        )

    def _into_function(self) -> str:
        targets = [(slot, self._targets[slot.index]) for slot in self._outputs]
        docs = [
            f"@param {name} receives {javadoc(slot.name)}, {javadoc(describe(slot))}; its limit becomes the end of the elements"
            for slot, name in targets
        ]
        checks = (
            f'    {API}.Outputs.checkTarget("{slot.name}", {name}, {0 if slot.is_dynamic else element_count(slot)});\n'
            for slot, name in targets
        )
        copies = (
            f'      call.outputs.copyTo({slot.index}, "{slot.name}", {dtype_constant(slot)}, {len(slot.shape)}, {name});\n'
            for slot, name in targets
        )
        return _FUNCTION.format(
            title=self._title(", and copies the outputs to buffers"),
            doc=self._doc(),
            parameter_docs=self._docs([*self._input_docs(), *docs]),
            result="void",
            name=into_name(self._name),
            parameters=", ".join(
                [*self._parameters(True), *(f"{not_null(buffer_type(slot))} {name}" for slot, name in targets)]
            ),
            checks="".join(checks),
            index=self._index,
            sets="".join(map(self._set, self._arguments)),
            value="".join(copies),
        )

    def _title(self, end: str) -> str:
        return f"Runs method {{@code {javadoc(self._method.name)}}}{end}."

    def _doc(self) -> str:
        text = javadoc_lines(self._method.doc, "  ")
        return text + javadoc_lines(self._method.requirement, "  ")

    def _docs(self, lines: Sequence[str]) -> str:
        return "   *\n" * bool(lines) + "".join(f"   * {line}\n" for line in lines)

    def _input_docs(self) -> Iterator[str]:
        for slot in self._arguments:
            yield f"@param {self._variables[slot.index]} {javadoc(describe(slot))}"
            if slot.index in self._size_variables:
                yield f"@param {self._size_variables[slot.index]} the {len(slot.shape)} sizes of {javadoc(slot.name)}"

    def _return_doc(self) -> list[str]:
        if len(self._outputs) == 1:
            return [f"@return {javadoc(describe(self._outputs[0]))}"]
        return ["@return the outputs"] if self._outputs else []

    def _parameters(self, with_buffers: bool) -> Iterator[str]:
        for slot in self._arguments:
            if slot.kind != "tensor":
                yield f"long {self._variables[slot.index]}"
                continue
            type_ = buffer_type(slot) if with_buffers else f"{element_type(slot)}[]"
            yield f"{not_null(type_)} {self._variables[slot.index]}"
            if slot.index in self._size_variables:
                yield f"{not_null('int[]')} {self._size_variables[slot.index]}"

    def _set(self, slot: Slot) -> str:
        variable = self._variables[slot.index]
        if slot.kind != "tensor":
            return f'      call.inputs.setInt({slot.index}, "{slot.name}", {variable});\n'
        sizes = f"SIZES_{self._index}_{slot.index}"
        if slot.index in self._size_variables:
            sizes = f'{API}.Inputs.checkSizes("{slot.name}", {self._size_variables[slot.index]}, {len(slot.shape)})'
        return f'      call.inputs.set({slot.index}, "{slot.name}", {dtype_constant(slot)}, {variable}, {sizes});\n'

    def _result_type(self) -> str:
        if len(self._outputs) == 1:
            return output_type(self._outputs[0])
        return self._class if self._outputs else "void"

    def _value(self) -> str:
        values = [self._read(slot) for slot in self._outputs]
        if len(values) == 1:
            return f"      return {values[0]};\n"
        lines = ",\n          ".join(values)
        return f"      return new {self._class}(\n          {lines});\n" if values else ""

    def _read(self, slot: Slot) -> str:
        if slot.kind != "tensor":
            return f"call.outputs.{SCALARS[slot.kind][1]}({slot.index})"
        return f"call.outputs.get{element_type(slot).capitalize()}s({slot.index}, {dtype_constant(slot)}, ORDER_{self._index}_{slot.index})"

    def outputs_class(self) -> str:
        """Return the class of several outputs. Java 11 has no records."""
        if len(self._outputs) < 2:
            return ""
        fields = [(output_type(slot), self._fields[slot.index]) for slot in self._outputs]
        return _OUTPUTS.format(
            method=javadoc(self._method.name),
            name=self._class,
            fields="".join(f"    private final {type_} {name};\n" for type_, name in fields),
            parameters=", ".join(f"{type_} {name}" for type_, name in fields),
            assignments="".join(f"      this.{name} = {name};\n" for _, name in fields),
            accessors="".join(map(self._accessor, self._outputs)),
        )

    def _accessor(self, slot: Slot) -> str:
        return _ACCESSOR.format(
            description=f"{javadoc(slot.name)}, {javadoc(describe(slot))}",
            type=not_null(output_type(slot)),
            name=self._accessors[slot.index],
            field=self._fields[slot.index],
        )
