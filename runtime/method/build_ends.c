#include "runtime/core/reason.h"
#include "runtime/method/builder.h"
#include "runtime/method/views.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

static et_tensor *tensor_of(const et_value *value) {
  return value->tag == ET_VALUE_TENSOR ? value->u.as_tensor : NULL;
}

/* Whether value `index` is a tensor with a place in planned memory. */
static bool is_planned(const et_builder *builder, uint32_t index) {
  et_fb_table held;
  return et_tables_value(&builder->values, index, &held) == ET_VALUE_TENSOR &&
         et_fb_has(&held, ET_TENSOR_ALLOCATION);
}

static void fill_ends(const et_builder *builder, uint16_t field, et_end *ends) {
  const et_fb_vector indices = et_tables_vector(&builder->plan, field);
  for (uint32_t i = 0; i < indices.count; i++) {
    const uint32_t index = (uint32_t)et_fb_i32_at(&indices, i);
    ends[i].value = &builder->regions.values[index];
    ends[i].is_planned = is_planned(builder, index);
    ends[i].is_set = false;
  }
}

/* Gives tensors that the caller will lend an address for now, so that those
 * without any memory can be told from them. */
static void lend(const et_builder *builder) {
  for (size_t i = 0; i < builder->counts.ends; i++) {
    et_tensor *tensor = tensor_of(builder->regions.ends[i].value);
    if (tensor != NULL && tensor->data == NULL) {
      tensor->data = builder->regions.method;
    }
  }
}

/* Takes that address away again; a tensor without bytes may keep it. */
static void unlend(const et_builder *builder) {
  for (size_t i = 0; i < builder->counts.tensors; i++) {
    et_tensor *tensor = &builder->regions.tensors[i];
    if (tensor->data == builder->regions.method && tensor->capacity != 0) {
      tensor->data = NULL;
    }
  }
}

static et_status check_inputs(const et_builder *builder) {
  const et_method *method = builder->regions.method;
  for (uint32_t i = 0; i < method->input_count; i++) {
    const et_tensor *tensor = tensor_of(method->inputs[i].value);
    if (tensor != NULL && tensor->is_constant) {
      return et_fail_program(builder->error, "inputs[%u] is a constant",
                             (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

static et_status check_all_bound(const et_builder *builder) {
  const et_value *values = builder->regions.values;
  for (uint32_t i = 0; i < builder->values.count; i++) {
    const et_tensor *tensor = tensor_of(&values[i]);
    if (tensor != NULL && tensor->data == NULL) {
      return et_fail_program(builder->error,
                             "values[%u]: a temporary tensor without memory",
                             (unsigned)i);
    }
  }
  return ET_STATUS_OK;
}

/* Inputs that the caller lends are read only. Outputs that need no memory of
 * the caller count as set. */
static void settle_ends(const et_method *method) {
  for (uint32_t i = 0; i < method->input_count; i++) {
    et_tensor *tensor = tensor_of(method->inputs[i].value);
    if (tensor != NULL && !method->inputs[i].is_planned) {
      tensor->is_constant = true;
    }
  }
  for (uint32_t i = 0; i < method->output_count; i++) {
    et_end *output = &method->outputs[i];
    const et_tensor *tensor = tensor_of(output->value);
    output->is_set =
        tensor == NULL || output->is_planned || tensor->is_constant;
  }
}

et_status et_build_ends(et_builder *builder) {
  et_method *method = builder->regions.method;
  const struct et_views *views = builder->registry->views;
  fill_ends(builder, ET_PLAN_INPUTS, method->inputs);
  fill_ends(builder, ET_PLAN_OUTPUTS, method->outputs);
  ET_RETURN_IF_ERROR(check_inputs(builder));
  if (views != NULL) {
    views->mark(builder);
  }
  lend(builder);
  if (views != NULL) {
    ET_RETURN_IF_ERROR(views->bind(builder));
  }
  ET_RETURN_IF_ERROR(check_all_bound(builder));
  unlend(builder);
  settle_ends(method);
  return ET_STATUS_OK;
}
