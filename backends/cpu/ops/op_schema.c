#include "backends/cpu/ops/op_schema.h"

#include <math.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/schema/records.h"

static et_status check_limits(const et_cpu_op *op, const char *counted,
                              uint16_t count, const uint8_t limits[2],
                              et_error *error) {
  ET_CPU_CHECK(error, count >= limits[0] && count <= limits[1],
               limits[0] == limits[1] ? "%s: %d %s, expected %d"
                                      : "%s: %d %s, expected %d to %d",
               op->type->schema->name, (int)count, counted, (int)limits[0],
               (int)limits[1]);
  return ET_STATUS_OK;
}

static et_status check_counts(const et_cpu_op *op,
                              const et_cpu_op_schema *schema, et_error *error) {
  const uint8_t workspaces[2] = {schema->workspaces, schema->workspaces};
  ET_RETURN_IF_ERROR(
      check_limits(op, "inputs", op->input_count, schema->inputs, error));
  ET_RETURN_IF_ERROR(
      check_limits(op, "outputs", op->output_count, schema->outputs, error));
  ET_RETURN_IF_ERROR(
      check_limits(op, "workspaces", op->workspace_count, workspaces, error));
  ET_CPU_CHECK(error,
               schema->dims == ET_CPU_ANY_DIMS || op->dim_count == schema->dims,
               "%s: %d dims, expected %d", op->type->schema->name,
               (int)op->dim_count, (int)schema->dims);
  const int more = (int)op->attribute_count - (int)schema->words;
  ET_CPU_CHECK(error,
               more == 0 || (more > 0 && schema->repeated_words > 0 &&
                             more % schema->repeated_words == 0),
               schema->repeated_words > 0
                   ? "%s: %d attributes, expected %d plus a multiple of %d"
                   : "%s: %d attributes, expected %d",
               op->type->schema->name, (int)op->attribute_count,
               (int)schema->words, (int)schema->repeated_words);
  return ET_STATUS_OK;
}

/* Returns the rule of tensor `index`. The index must be in range. */
static const et_cpu_tensor_rule *rule_of(const et_cpu_op *op,
                                         const et_cpu_op_schema *schema,
                                         size_t index) {
  const size_t last_input = schema->input_rules - (size_t)1;
  const et_cpu_tensor_rule *outputs = schema->tensors + schema->input_rules;
  if (index < op->input_count) {
    return &schema->tensors[index < last_input ? index : last_input];
  }
  index -= op->input_count;
  if (index < op->output_count) {
    const size_t last_output = schema->output_rules - (size_t)1;
    return &outputs[index < last_output ? index : last_output];
  }
  return &outputs[schema->output_rules + index - op->output_count];
}

static et_status fail_dtype(const et_cpu_op *op, size_t index, uint16_t allowed,
                            et_error *error) {
  const char *names[2] = {NULL, NULL}; /* name of the first allowed type */
  size_t count = 0;
  for (int32_t dtype = 0; dtype < 16; dtype++) {
    if ((allowed >> dtype & 1u) != 0 && count++ < 2) {
      names[count - 1] = et_scalar_type_name(dtype);
    }
  }
  const char *format = count == 1   ? "%s: tensor %zu is %s, expected %s"
                       : count == 2 ? "%s: tensor %zu is %s, expected %s or %s"
                                    : "%s: tensor %zu has unsupported dtype %s";
  return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE, format,
                 op->type->schema->name, index,
                 et_scalar_type_name(op->tensors[index]->dtype), names[0],
                 names[1]);
}

static et_status check_tensor(const et_cpu_op *op, size_t index,
                              const et_cpu_tensor_rule *rule, et_error *error) {
  const et_cpu_tensor *tensor = op->tensors[index];
  if ((rule->dtypes >> tensor->dtype & 1u) == 0) {
    return fail_dtype(op, index, rule->dtypes, error);
  }
  ET_CPU_CHECK(error,
               tensor->rank >= rule->min_rank && tensor->rank <= rule->max_rank,
               rule->min_rank == rule->max_rank
                   ? "%s: tensor %zu has %d dims, expected %d"
                   : "%s: tensor %zu has %d dims, expected %d to %d",
               op->type->schema->name, index, (int)tensor->rank,
               (int)rule->min_rank, (int)rule->max_rank);
  return ET_STATUS_OK;
}

static et_status check_word(const et_cpu_op *op, size_t index, uint8_t range,
                            et_error *error) {
  if (range == ET_CPU_RANGE_ANY) {
    return ET_STATUS_OK;
  }
  if (range == ET_CPU_RANGE_POSITIVE) {
    const float value = et_cpu_float_of_word(op->attributes[index]);
    ET_CPU_CHECK(error, isfinite(value) && value > 0,
                 "%s: attribute %zu is not a positive number",
                 op->type->schema->name, index);
    return ET_STATUS_OK;
  }
  const et_cpu_attribute_range bounds = et_cpu_attribute_ranges[range];
  const int32_t value = (int32_t)op->attributes[index];
  ET_CPU_CHECK(error, value >= bounds.low && value <= bounds.high,
               bounds.low == bounds.high
                   ? "%s: attribute %zu is %d, expected %d"
                   : "%s: attribute %zu is %d, expected %d to %d",
               op->type->schema->name, index, (int)value, (int)bounds.low,
               (int)bounds.high);
  return ET_STATUS_OK;
}

et_status et_cpu_check_schema(const et_cpu_op *op,
                              const et_cpu_op_schema *schema, et_error *error) {
  ET_RETURN_IF_ERROR(check_counts(op, schema, error));
  const size_t tensors =
      (size_t)op->input_count + op->output_count + op->workspace_count;
  for (size_t i = 0; i < tensors; i++) {
    ET_RETURN_IF_ERROR(check_tensor(op, i, rule_of(op, schema, i), error));
  }
  for (size_t i = 0; i < op->attribute_count; i++) {
    const size_t range =
        i < schema->words
            ? i
            : schema->words + (i - schema->words) % schema->repeated_words;
    ET_RETURN_IF_ERROR(check_word(op, i, schema->ranges[range], error));
  }
  return ET_STATUS_OK;
}

et_status et_cpu_check_op(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_schema(op, op->type->schema, error));
  return op->type->check != NULL ? op->type->check(op, error) : ET_STATUS_OK;
}
