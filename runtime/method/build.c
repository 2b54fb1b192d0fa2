#include "runtime/method/builder.h"

#include <string.h>

#include "runtime/core/error.h"
#include "runtime/method/fill.h"
#include "runtime/method/operands.h"
#include "runtime/method/optional_parts.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/program/tensor_record.h"

/* Sets the tensor's address. An empty tensor gets one too, since kernels may do
 * arithmetic with it. */
static void bind_memory(const et_builder *builder,
                        const et_tensor_record *record, et_tensor *tensor) {
  if (record->is_planned) {
    uint8_t *base = builder->memory->planned[record->memory_id - 1].bytes.data;
    tensor->data = base != NULL ? base + record->memory_offset : NULL;
  } else if (record->has_data) {
    tensor->data = (void *)(uintptr_t)et_data_initial(
        /* is_constant prevents writes. */
        builder->program, &builder->data, record);
    tensor->is_constant = true;
  }
  if (record->nbytes == 0) {
    tensor->data = builder->regions.method;
  }
}

static et_value *value_at(void *context, uint32_t index) {
  const et_builder *builder = context;
  return &builder->regions.values[index];
}

et_status et_build_values(et_builder *builder) {
  et_tensor_record record;
  et_fill fill = {.tensor = builder->regions.tensors,
                  .item = builder->regions.list_items,
                  .dim = builder->regions.dims,
                  .value_at = value_at,
                  .context = builder,
                  .error = builder->error};
  for (uint32_t i = 0; i < et_fb_count(builder->values); i++) {
    et_value *value = &builder->regions.values[i];
    ET_RETURN_IF_ERROR(
        et_fill_value(&fill, builder->values, i, value, &record));
    if (value->tag == ET_VALUE_TENSOR) {
      bind_memory(builder, &record, value->u.as_tensor);
    }
  }
  return ET_STATUS_OK;
}

void et_build_scalars(et_fb_vector values, et_value *out_values) {
  for (uint32_t i = 0; i < et_fb_count(values); i++) {
    et_fb_table held;
    et_tables_value(values, i, &held);
    et_fill_scalar(held, &out_values[i]);
  }
}

static et_data_needs needs_of(const et_builder *builder) {
  const et_data_needs needs = {
      builder->program, builder->values,
      et_tables_vector(builder->plan, ET_PLAN_DELEGATES), builder->error};
  return needs;
}

et_status et_data_measure(const et_builder *builder, size_t *out_bytes) {
  const struct et_reading *reading = builder->program->reading;
  size_t list = 0;
  *out_bytes = 0;
  if (reading == NULL) {
    return ET_STATUS_OK;
  }
  const et_data_needs needs = needs_of(builder);
  return reading->measure(&needs, &list, out_bytes);
}

static const et_mutable_span *data_buffer_of(const et_builder *builder) {
  static const et_mutable_span none = {NULL, 0};
  if (builder->memory != NULL) {
    return &builder->memory->data;
  }
  return builder->options != NULL ? &builder->options->data : &none;
}

et_status et_data_build(et_builder *builder, size_t *out_bytes) {
  const struct et_reading *reading = builder->program->reading;
  size_t list = 0;
  *out_bytes = 0;
  if (reading == NULL) {
    return ET_STATUS_OK;
  }
  const et_data_needs needs = needs_of(builder);
  ET_RETURN_IF_ERROR(reading->measure(&needs, &list, out_bytes));
  if (*out_bytes == 0) {
    return ET_STATUS_OK;
  }
  const et_mutable_span *buffer = data_buffer_of(builder);
  ET_RETURN_IF_ERROR(et_build_check_buffer(builder, buffer, *out_bytes));
  return reading->build(&needs, *buffer, list, &builder->data);
}

const uint8_t *et_data_initial(const et_program *program, const et_data *data,
                               const et_tensor_record *record) {
  et_piece piece;
  return record->has_data && et_tensor_record_data(program, record, &piece)
             ? et_data_find(program, data, &piece)
             : NULL;
}

/* Fills the fields that are common to all kinds of instructions. */
static void fill_instruction(const et_builder *builder, const et_walk *walk,
                             et_instruction *out) {
  const uint32_t count = et_fb_count(walk->operands);
  out->tag = walk->tag;
  out->arg_count = (uint16_t)count;
  for (uint32_t i = 0; i < count; i++) {
    out->args[i] = &builder->regions.values[et_fb_u32_at(walk->operands, i)];
  }
  if (walk->tag == ET_INSTRUCTION_KERNEL_CALL) {
    out->u.kernel = et_build_called_kernel(builder, walk);
    out->is_view = et_kernel_is_view(out->u.kernel);
  }
}

et_status et_build_instructions(et_builder *builder) {
  const et_registry *registry = builder->registry;
  et_value **args = builder->regions.args;
  et_walk walk;
  et_walk_start(&walk, builder->plan);
  while (et_walk_next(&walk)) {
    et_instruction *instruction = &builder->regions.instructions[walk.index];
    memset(instruction, 0, sizeof *instruction);
    instruction->args = args;
    fill_instruction(builder, &walk, instruction);
    if (walk.tag == ET_INSTRUCTION_DELEGATE_CALL) {
      ET_RETURN_IF_ERROR(registry->delegation->fill(builder, &walk));
    } else if (et_walk_branches(&walk)) {
      registry->branching->fill(builder, &walk);
    }
    args += instruction->arg_count;
  }
  if (registry->branching != NULL) {
    registry->branching->mark(builder);
  }
  return ET_STATUS_OK;
}

static et_status prepare(et_builder *builder, const et_walk *walk,
                         const et_kernel *kernel, size_t *out_scratch) {
  const struct et_preparation *preparation = builder->registry->preparation;
  return preparation != NULL
             ? preparation->prepare(builder, walk, kernel, out_scratch)
             : et_fail(builder->error, ET_STATUS_INVALID_ARGUMENT,
                       "instructions[%u] %s: the kernel has a prepare "
                       "function; set registry.preparation to &et_preparation",
                       (unsigned)walk->index, kernel->name);
}

et_status et_build_calls(et_builder *builder, size_t *scratch) {
  et_walk walk;
  et_walk_start(&walk, builder->plan);
  while (et_walk_next(&walk)) {
    const et_kernel *kernel = et_build_called_kernel(builder, &walk);
    size_t needed = kernel != NULL ? kernel->scratch_bytes : 0;
    if (kernel != NULL && kernel->prepare != NULL) {
      ET_RETURN_IF_ERROR(prepare(builder, &walk, kernel, &needed));
    }
    *scratch = needed > *scratch ? needed : *scratch;
  }
  return ET_STATUS_OK;
}

static et_tensor *tensor_of(const et_value *value) {
  return value->tag == ET_VALUE_TENSOR ? value->u.as_tensor : NULL;
}

/* Returns true if value `index` is a planned tensor. */
static bool is_planned(const et_builder *builder, uint32_t index) {
  et_fb_table held;
  return et_tables_value(builder->values, index, &held) == ET_VALUE_TENSOR &&
         et_fb_has(held, ET_TENSOR_ALLOCATION);
}

/* Gives caller-provided tensors a temporary address, to distinguish them from
 * tensors without any memory. */
static et_status fill_io(const et_builder *builder, uint16_t field,
                         et_io_slot *slot) {
  const et_fb_vector indices = et_tables_vector(builder->plan, field);
  for (uint32_t i = 0; i < et_fb_count(indices); i++, slot++) {
    const uint32_t index = (uint32_t)et_fb_i32_at(indices, i);
    slot->value = &builder->regions.values[index];
    slot->is_planned = is_planned(builder, index);
    et_tensor *tensor = tensor_of(slot->value);
    if (tensor == NULL) {
      continue;
    }
    if (field == ET_PLAN_INPUTS && tensor->is_constant) {
      return et_fail_program(builder->error, "inputs[%u] is a constant",
                             (unsigned)i);
    }
    if (tensor->data == NULL) {
      tensor->data = builder->regions.method;
    }
  }
  return ET_STATUS_OK;
}

/* Rejects tensors without memory, and removes the temporary addresses. An empty
 * tensor may keep one. */
static et_status check_all_bound(const et_builder *builder) {
  const et_value *values = builder->regions.values;
  for (uint32_t i = 0; i < et_fb_count(builder->values); i++) {
    et_tensor *tensor = tensor_of(&values[i]);
    if (tensor == NULL) {
      continue;
    }
    if (tensor->data == NULL) {
      return et_fail_program(builder->error,
                             "values[%u]: the tensor does not have memory",
                             (unsigned)i);
    }
    if (tensor->data == builder->regions.method && tensor->capacity != 0) {
      tensor->data = NULL;
    }
  }
  return ET_STATUS_OK;
}

/* Marks caller-provided inputs as read-only. Inputs and outputs for which the
 * caller provides nothing count as set, except tensor inputs. */
static void settle_io(const et_builder *builder) {
  const size_t inputs = builder->counts.inputs;
  for (size_t i = 0; i < builder->counts.io_slots; i++) {
    et_io_slot *slot = &builder->regions.io_slots[i];
    et_tensor *tensor = tensor_of(slot->value);
    slot->is_external = tensor != NULL && !slot->is_planned &&
                        (i < inputs || !tensor->is_constant);
    slot->is_set = i < inputs ? tensor == NULL : !slot->is_external;
    if (i < inputs && slot->is_external) {
      tensor->is_constant = true;
    }
  }
}

et_status et_build_io(et_builder *builder) {
  const et_method *method = builder->regions.method;
  const struct et_views *views = builder->registry->views;
  if (views != NULL) {
    views->mark(builder);
  }
  ET_RETURN_IF_ERROR(fill_io(builder, ET_PLAN_INPUTS, method->inputs));
  ET_RETURN_IF_ERROR(fill_io(builder, ET_PLAN_OUTPUTS, method->outputs));
  if (views != NULL) {
    ET_RETURN_IF_ERROR(views->bind(builder));
  }
  ET_RETURN_IF_ERROR(check_all_bound(builder));
  settle_io(builder);
  if (builder->registry->ranges != NULL) {
    builder->registry->ranges->bind(builder);
  }
  return ET_STATUS_OK;
}
