#include "runtime/method/optional_parts.h"

#include <stddef.h>

#include "runtime/core/error.h"
#include "runtime/method/operands.h"

static void mark(const et_builder *builder) {
  for (size_t i = 0; i < builder->counts.instructions; i++) {
    et_instruction *instruction = &builder->regions.instructions[i];
    instruction->binds_out =
        instruction->is_view && instruction->args[2]->u.as_tensor->data == NULL;
  }
}

/* Binds an output to its base. The address is final: planned memory does not move,
 * and its writers are checked. Other bases are read-only, and caller-provided
 * memory may differ in each run. */
static void bind_to_base(const et_method *method, et_instruction *view) {
  const et_tensor *base = view->args[0]->u.as_tensor;
  et_tensor *out = view->args[2]->u.as_tensor;
  out->data = base->data;
  out->is_constant = base->is_constant || base->data == method;
  view->binds_out = out->is_constant;
}

static et_status bind_view(const et_builder *builder, uint32_t index) {
  et_method *method = builder->regions.method;
  et_instruction *view = &builder->regions.instructions[index];
  const et_tensor *base = view->args[0]->u.as_tensor;
  const et_tensor *out = view->args[2]->u.as_tensor;
  if (view->binds_out) {
    bind_to_base(method, view);
  }
  if (view->binds_out) {
    method->views = &et_views;
  }
  if (out->data != base->data || out->capacity > base->capacity ||
      out->dtype != base->dtype) {
    return et_fail_program(
        builder->error,
        "instructions[%u] %s: the output is not at its base's address",
        (unsigned)index, view->u.kernel->name);
  }
  return ET_STATUS_OK;
}

static et_status bind(const et_builder *builder) {
  const et_method *method = builder->regions.method;
  for (uint32_t i = 0; i < method->instruction_count; i++) {
    if (method->instructions[i].is_view) {
      ET_RETURN_IF_ERROR(bind_view(builder, i));
    }
  }
  return ET_STATUS_OK;
}

/* Checks that only one view writes an output. */
static et_status start_view(et_simulation *sim, uint32_t index) {
  const et_instruction *view = &sim->method->instructions[index];
  const uint32_t out = et_simulation_index(sim, view->args[2]);
  if (sim->origins[out] == ORIGIN_UNKNOWN) {
    sim->origins[out] = ORIGIN_UNVIEWED;
    return ET_STATUS_OK;
  }
  return et_fail_program(
      sim->error, "instructions[%u]: the output of a view, values[%u], %s",
      (unsigned)index, (unsigned)out,
      sim->origins[out] == ORIGIN_UNVIEWED
          ? "is the output of another view"
          : "is an input, holds state or is written elsewhere");
}

static et_status start(et_simulation *sim) {
  for (uint32_t i = 0; i < sim->method->instruction_count; i++) {
    if (sim->method->instructions[i].is_view) {
      ET_RETURN_IF_ERROR(start_view(sim, i));
    }
  }
  return ET_STATUS_OK;
}

/* From this instruction on, the output refers to the current bytes of its base. */
static et_status simulate(et_simulation *sim, const et_instruction *view) {
  uint32_t *origin = &sim->origins[et_simulation_index(sim, view->args[2])];
  *origin = *origin == ORIGIN_UNVIEWED ? ORIGIN_UNKNOWN : *origin;
  return et_simulation_read(sim, view->args[2]);
}

/* A static tensor keeps its sizes. Without an address, it is not read. */
static void empty(et_tensor *tensor) {
  const int32_t none[ET_MAX_RANK] = {0};
  tensor->data = NULL;
  if (tensor->dynamism != ET_SHAPE_STATIC) {
    et_tensor_resize(tensor, none, tensor->rank, NULL);
  }
}

static void reset(const et_method *method) {
  for (uint32_t i = 0; i < method->instruction_count; i++) {
    const et_instruction *instruction = &method->instructions[i];
    if (instruction->binds_out) {
      empty(instruction->args[2]->u.as_tensor);
    }
  }
}

typedef struct view_check {
  const et_method *method;
  uint32_t instruction;
  et_error *error;
} view_check;

/* During a run, only the outputs of views that did not run have no address. */
static et_status check_viewed(void *context, et_value *value) {
  const view_check *r = context;
  if (value->u.as_tensor->data == NULL) {
    return et_fail_program(
        r->error, "instructions[%u] reads values[%u], but its view did not run",
        (unsigned)r->instruction, (unsigned)(value - r->method->values));
  }
  return ET_STATUS_OK;
}

static et_status enter(const et_method *method, uint32_t index,
                       et_error *error) {
  const et_instruction *instruction = &method->instructions[index];
  view_check r = {method, index, error};
  ET_RETURN_IF_ERROR(
      et_operands_visit(instruction, ET_OPERANDS_READ, check_viewed, &r));
  if (instruction->binds_out) {
    const et_tensor *base = instruction->args[0]->u.as_tensor;
    et_tensor *out = instruction->args[2]->u.as_tensor;
    out->data = base->data;
    out->capacity = et_tensor_nbytes(base);
  }
  return ET_STATUS_OK;
}

static et_status check_outputs(const et_method *method, et_error *error) {
  for (uint32_t i = 0; i < method->output_count; i++) {
    const et_value *value = method->outputs[i].value;
    if (value->tag == ET_VALUE_TENSOR && value->u.as_tensor->data == NULL) {
      return et_fail_program(error, "outputs[%u]: its view did not run",
                             (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

const struct et_views et_views = {mark,  bind,  start,        simulate,
                                  reset, enter, check_outputs};
