#include <string.h>

#include "executorch/method_layout.h"
#include "runtime/core/error.h"
#include "runtime/method/builder.h"
#include "runtime/method/operands.h"
#include "runtime/method/optional_parts.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"

static et_status check_index(const char *name, size_t index, uint32_t count,
                             et_error *error) {
  et_error_clear(error);
  if (index >= count) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "%s[%zu]: the index is out of range; the method has %u",
                   name, index, (unsigned)count);
  }
  return ET_STATUS_OK;
}

size_t et_method_input_count(const et_method *method) {
  return method->input_count;
}

size_t et_method_output_count(const et_method *method) {
  return method->output_count;
}

/* Returns the upper bounds of the input's sizes. */
static et_fb_vector bounds_of(const et_method *method, const et_value *input) {
  et_fb_table tensor;
  et_tables_value(et_tables_vector(method->plan, ET_PLAN_VALUES),
                  (uint32_t)(input - method->values), &tensor);
  return et_fb_list(tensor, ET_TENSOR_SIZES);
}

/* *out_numel does not overflow, because the upper bounds do not. */
static et_status check_sizes(const et_method *method, size_t index,
                             const int32_t *sizes, size_t *out_numel,
                             et_error *error) {
  const et_value *input = method->inputs[index].value;
  const bool is_static = input->u.as_tensor->dynamism == ET_SHAPE_STATIC;
  const et_fb_vector bounds = bounds_of(method, input);
  *out_numel = 1;
  for (uint32_t d = 0; d < et_fb_count(bounds); d++) {
    const int32_t bound = et_fb_i32_at(bounds, d);
    if (sizes[d] < 0 || (is_static && sizes[d] != bound)) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "inputs[%zu]: size %d of dim %u is invalid; pass %d",
                     index, (int)sizes[d], (unsigned)d, (int)bound);
    }
    if (sizes[d] > bound) {
      return et_fail(
          error, ET_STATUS_NOT_SUPPORTED,
          "inputs[%zu]: size %d of dim %u exceeds the upper bound %d; export "
          "with a larger Dim",
          index, (int)sizes[d], (unsigned)d, (int)bound);
    }
    *out_numel *= (size_t)sizes[d];
  }
  return ET_STATUS_OK;
}

static et_status check_kind(const et_tensor *tensor, size_t index,
                            et_scalar_type dtype, size_t rank,
                            et_error *error) {
  if (dtype != tensor->dtype) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "inputs[%zu]: dtype %s is invalid; pass %s", index,
                   et_scalar_type_name((int32_t)dtype),
                   et_scalar_type_name((int32_t)tensor->dtype));
  }
  if (rank != tensor->rank) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "inputs[%zu]: rank %zu is invalid; pass %u dims", index,
                   rank, (unsigned)tensor->rank);
  }
  return ET_STATUS_OK;
}

static et_status check_data(const et_io_slot *input, size_t index, size_t numel,
                            const void *data, size_t nbytes, et_error *error) {
  const size_t size =
      et_scalar_type_size((int32_t)input->value->u.as_tensor->dtype);
  const size_t expected = size * numel;
  if (nbytes != expected) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "inputs[%zu]: %zu bytes do not match the sizes; pass %zu",
                   index, nbytes, expected);
  }
  if (nbytes != 0 && data == NULL) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "inputs[%zu]: data is NULL; pass %zu bytes", index, nbytes);
  }
  if (input->is_external && ((uintptr_t)data & (size - 1)) != 0) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "inputs[%zu]: data is not aligned to %zu bytes; align it",
                   index, size);
  }
  return ET_STATUS_OK;
}

/* Empty tensors also have an address, since kernels may do arithmetic with
 * it. */
static void take_data(et_method *method, const et_io_slot *input,
                      const void *data, size_t nbytes) {
  et_tensor *tensor = input->value->u.as_tensor;
  if (input->is_external) {
    tensor->data = nbytes == 0 ? method : (void *)(uintptr_t)data;
    return; /* is_constant prevents writes */
  }
  if (nbytes != 0) {
    memmove(tensor->data, data, nbytes);
  }
}

et_status et_method_set_input(et_method *method, size_t index,
                              et_scalar_type dtype, const int32_t *sizes,
                              size_t rank, const void *data, size_t nbytes,
                              et_error *out_error) {
  ET_RETURN_IF_ERROR(check_index(ET_MESSAGE_TEXT("inputs"), index,
                                 method->input_count, out_error));
  et_io_slot *input = &method->inputs[index];
  if (input->value->tag != ET_VALUE_TENSOR) {
    return et_fail(out_error, ET_STATUS_INVALID_ARGUMENT,
                   "inputs[%zu] is %s, not a Tensor; call "
                   "et_method_set_scalar_input",
                   index, et_value_tag_name((int32_t)input->value->tag));
  }
  et_tensor *tensor = input->value->u.as_tensor;
  ET_RETURN_IF_ERROR(check_kind(tensor, index, dtype, rank, out_error));
  if (method->ranges != NULL) {
    ET_RETURN_IF_ERROR(
        method->ranges->check_sizes(method, index, sizes, out_error));
  }
  size_t numel = 0;
  ET_RETURN_IF_ERROR(check_sizes(method, index, sizes, &numel, out_error));
  ET_RETURN_IF_ERROR(check_data(input, index, numel, data, nbytes, out_error));
  ET_RETURN_IF_ERROR(et_tensor_resize(tensor, sizes, rank, out_error));
  take_data(method, input, data, nbytes);
  input->is_set = true;
  method->has_outputs = false;
  return ET_STATUS_OK;
}

et_status et_method_get_output(const et_method *method, size_t index,
                               const et_value **out_value,
                               et_error *out_error) {
  ET_RETURN_IF_ERROR(check_index(ET_MESSAGE_TEXT("outputs"), index,
                                 method->output_count, out_error));
  if (!method->has_outputs) {
    return et_fail(out_error, ET_STATUS_INVALID_STATE,
                   "outputs[%zu] has no value; execute the method first",
                   index);
  }
  *out_value = method->outputs[index].value;
  return ET_STATUS_OK;
}

static bool same_string(et_string a, et_string b) {
  return a.size == b.size &&
         (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool same_scalar(const et_value *a, const et_value *b) {
  if (a->tag != b->tag) {
    return false;
  }
  switch (a->tag) {
    case ET_VALUE_NONE:
      return true;
    case ET_VALUE_INT:
      return a->u.as_int == b->u.as_int;
    case ET_VALUE_BOOL:
      return a->u.as_bool == b->u.as_bool;
    case ET_VALUE_DOUBLE:
      return memcmp(&a->u.as_double, &b->u.as_double, sizeof(double)) == 0;
    case ET_VALUE_STRING:
      return same_string(a->u.as_string, b->u.as_string);
    default:
      return false;
  }
}

et_status et_method_set_scalar_input(et_method *method, size_t index,
                                     const et_value *value,
                                     et_error *out_error) {
  ET_RETURN_IF_ERROR(
      check_index("inputs", index, method->input_count, out_error));
  bool is_ranged = false;
  if (method->ranges != NULL) {
    ET_RETURN_IF_ERROR(method->ranges->set_integer(method, index, value,
                                                   &is_ranged, out_error));
  }
  if (!is_ranged && !same_scalar(method->inputs[index].value, value)) {
    return et_fail(
        out_error, ET_STATUS_INVALID_ARGUMENT,
        "inputs[%zu] differs from the exported constant; pass the %s of the "
        "export",
        index, et_value_tag_name((int32_t)method->inputs[index].value->tag));
  }
  method->has_outputs = false;
  return ET_STATUS_OK;
}

static et_status fail_if_same(void *context, et_value *value) {
  return value == context ? ET_STATUS_INVALID_STATE : ET_STATUS_OK;
}

static bool has_operand(const et_instruction *instruction, unsigned roles,
                        et_value *value) {
  return et_operands_visit(instruction, roles, fail_if_same, value) !=
         ET_STATUS_OK;
}

/* Returns true if every run writes the whole value before an instruction reads
 * it. A jump may skip instructions before its target, so a write there does not
 * count. */
static bool is_always_written(const et_method *method, et_value *value) {
  uint32_t reach = 0; /* highest jump target so far */
  for (uint32_t i = 0; i < method->instruction_count; i++) {
    const et_instruction *instruction = &method->instructions[i];
    if (has_operand(instruction, ET_OPERANDS_READ, value)) {
      return false;
    }
    if (i >= reach && has_operand(instruction, ET_OPERAND_WRITTEN, value)) {
      return true;
    }
    if (instruction->tag == ET_INSTRUCTION_JUMP_FALSE &&
        instruction->u.target > reach) {
      reach = instruction->u.target;
    }
  }
  return false;
}

et_status et_method_set_output(et_method *method, size_t index, void *data,
                               size_t nbytes, et_error *out_error) {
  ET_RETURN_IF_ERROR(
      check_index("outputs", index, method->output_count, out_error));
  et_io_slot *output = &method->outputs[index];
  if (!output->is_external) {
    return et_fail(
        out_error, ET_STATUS_INVALID_STATE,
        "outputs[%zu] is in planned memory; read it with et_method_get_output",
        index);
  }
  et_tensor *tensor = output->value->u.as_tensor;
  const size_t size = et_scalar_type_size((int32_t)tensor->dtype);
  if (nbytes < tensor->capacity || (nbytes != 0 && data == NULL) ||
      ((uintptr_t)data & (size - 1)) != 0) {
    return et_fail(out_error, ET_STATUS_INVALID_ARGUMENT,
                   "outputs[%zu]: data is too small or not aligned; pass %zu "
                   "bytes aligned to %zu",
                   index, tensor->capacity, size);
  }
  if (tensor->capacity != 0) {
    tensor->data = data;
  }
  if (!output->is_set) {
    output->is_cleared =
        tensor->capacity != 0 && !is_always_written(method, output->value);
  }
  output->is_set = true;
  method->has_outputs = false;
  return ET_STATUS_OK;
}
