#include "runtime/core/reason.h"
#include "runtime/method/builder.h"
#include "runtime/method/ranges.h"
#include "runtime/method/views.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

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
static et_status fill_ends(const et_builder *builder, uint16_t field,
                           et_end *end) {
  const et_fb_vector indices = et_tables_vector(builder->plan, field);
  for (uint32_t i = 0; i < et_fb_count(indices); i++, end++) {
    const uint32_t index = (uint32_t)et_fb_i32_at(indices, i);
    end->value = &builder->regions.values[index];
    end->is_planned = is_planned(builder, index);
    et_tensor *tensor = tensor_of(end->value);
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

/* Marks caller-provided inputs as read-only. Inputs and outputs that need
 * nothing from the caller count as set, except tensor inputs. */
static void settle_ends(const et_builder *builder) {
  const size_t inputs = builder->counts.inputs;
  for (size_t i = 0; i < builder->counts.ends; i++) {
    et_end *end = &builder->regions.ends[i];
    et_tensor *tensor = tensor_of(end->value);
    end->is_lent = tensor != NULL && !end->is_planned &&
                   (i < inputs || !tensor->is_constant);
    end->is_set = i < inputs ? tensor == NULL : !end->is_lent;
    if (i < inputs && end->is_lent) {
      tensor->is_constant = true;
    }
  }
}

et_status et_build_ends(et_builder *builder) {
  const et_method *method = builder->regions.method;
  const struct et_views *views = builder->registry->views;
  if (views != NULL) {
    views->mark(builder);
  }
  ET_RETURN_IF_ERROR(fill_ends(builder, ET_PLAN_INPUTS, method->inputs));
  ET_RETURN_IF_ERROR(fill_ends(builder, ET_PLAN_OUTPUTS, method->outputs));
  if (views != NULL) {
    ET_RETURN_IF_ERROR(views->bind(builder));
  }
  ET_RETURN_IF_ERROR(check_all_bound(builder));
  settle_ends(builder);
  if (builder->registry->ranges != NULL) {
    builder->registry->ranges->bind(builder);
  }
  return ET_STATUS_OK;
}
