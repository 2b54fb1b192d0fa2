"""Reports about a prebuilt program, based only on its file."""

from exir import schema
from exir.inspection.calls import any_channels_last, dtypes_of, kernel_calls, tensors_of
from exir.inspection.report import MethodReport, OperatorUse, delegates_of, instruction_count, values_of


def imported_methods(program: schema.Program) -> list[MethodReport]:
    """Return a report for each method.

    The file contains no input names and no source lines of the model.
    """
    return [_method_report(plan, program) for plan in program.execution_plan]


def external_tensors(program: schema.Program) -> list[str]:
    """Return the names of constants in external files, sorted."""
    return sorted(
        {
            name
            for plan in program.execution_plan
            for tensor in _io_tensors(plan)
            if (name := _external_name(tensor))
        }
    )


def _method_report(plan: schema.ExecutionPlan, program: schema.Program) -> MethodReport:
    return MethodReport(
        name=str(plan.name),
        inputs=values_of(plan, plan.inputs, ()),
        outputs=values_of(plan, plan.outputs, ()),
        operator_uses=tuple(_operator_use(plan, call) for call in kernel_calls(plan)),
        delegates=delegates_of(plan, program),
        planned_bytes=tuple(plan.non_const_buffer_sizes),
        shared_memory_id=_shared_memory_id(plan),
        lower_bound_bytes=0,
        instruction_count=instruction_count(plan),
    )


def _operator_use(plan: schema.ExecutionPlan, call: schema.KernelCall) -> OperatorUse:
    tensors = tensors_of(plan, call)
    name = plan.operators[call.op_index].full_name
    return OperatorUse(name, dtypes_of(tensors), "", any_channels_last(tensors))


def _io_tensors(plan: schema.ExecutionPlan) -> list[schema.Tensor]:
    return [value.val for value in plan.values if isinstance(value.val, schema.Tensor)]


def _external_name(tensor: schema.Tensor) -> str:
    extra = tensor.extra_tensor_info
    is_external = extra is not None and extra.location == schema.TensorDataLocation.EXTERNAL
    return str(extra.fully_qualified_name) if extra is not None and is_external else ""


def _shared_memory_id(plan: schema.ExecutionPlan) -> int:
    """Return the first planned buffer that contains only named state, or 0.

    Exporters store state that methods share in such a buffer. Memory id 1 is excluded.
    """
    has_names: dict[int, bool] = {}
    for tensor in _io_tensors(plan):
        if (place := tensor.allocation_info) is not None and place.memory_id > 1:
            extra = tensor.extra_tensor_info
            is_state = extra is not None and bool(extra.fully_qualified_name)
            has_names[place.memory_id] = has_names.get(place.memory_id, True) and is_state
    return min((memory_id for memory_id, is_state in has_names.items() if is_state), default=0)
