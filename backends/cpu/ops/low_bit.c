#include "backends/cpu/ops/low_bit.h"

#include "backends/cpu/ops/activation.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/gemms.h"

enum {
  X = ET_CPU_LOW_BIT_X,
  WORDS = ET_CPU_LOW_BIT_WORDS,
  SCALES = ET_CPU_LOW_BIT_SCALES,
  BIAS = ET_CPU_LOW_BIT_BIAS,
  INPUTS = ET_CPU_LOW_BIT_INPUTS
};
enum { BITS, SHIFT, ACTIVATION, ATTRIBUTES = ACTIVATION + 3 };

/* Inputs of each product. */
static size_t inputs_each(const et_cpu_op *op) {
  return INPUTS - WORDS + (op->attributes[SHIFT] != ET_CPU_UNSHIFTED ? 1 : 0);
}

size_t et_cpu_low_bit_own(const et_cpu_op *op) {
  return WORDS + op->output_count * inputs_each(op);
}

static const et_cpu_tensor *output(const et_cpu_op *op, size_t part) {
  return op->tensors[op->input_count + part];
}

static et_status check_counts(const et_cpu_op *op, uint16_t most_parts,
                              int32_t most_shift, et_error *error) {
  et_cpu_counts counts = {.inputs_least = INPUTS,
                          .inputs_most =
                              (uint16_t)(WORDS + most_parts * INPUTS + 1),
                          .outputs = 1,
                          .more_outputs = (uint16_t)(most_parts - 1),
                          .attributes = ATTRIBUTES};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, BITS, 4, 8, error));
  ET_CPU_CHECK(error, op->attributes[BITS] % 4 == 0, "%s: weights of %d bits",
               op->type->name, (int)op->attributes[BITS]);
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, SHIFT, 0, most_shift, error));
  counts.inputs_least = (uint16_t)et_cpu_low_bit_own(op);
  counts.inputs_most =
      (uint16_t)(counts.inputs_least + (op->output_count == 1 ? 1 : 0));
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  return et_cpu_check_activation(op, ACTIVATION, error);
}

/* Groups are whole words, so that a word has one scale; all products have as many. */
static et_status check_weights(const et_cpu_op *op, size_t first, int64_t depth,
                               int64_t panels, et_error *error) {
  const int64_t codes = 32 / et_cpu_attribute(op, BITS);
  const int64_t groups = op->tensors[SCALES]->sizes[1];
  const size_t scales = first + SCALES;
  ET_CPU_CHECK(error, depth > 0 && depth % codes == 0,
               "%s: %d summands are no words of %d", op->type->name, (int)depth,
               (int)codes);
  const int64_t words[3] = {panels, depth / codes, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(op, first + WORDS, ET_SCALAR_TYPE_INT32,
                                        3, words, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(
      op, scales, et_cpu_parameters_dtype(op, scales), 3, error));
  ET_CPU_CHECK(error,
               groups > 0 && depth % groups == 0 && depth / groups % codes == 0,
               "%s: %d groups of %d summands are no words of %d",
               op->type->name, (int)groups, (int)depth, (int)codes);
  const int64_t sizes[3] = {panels, groups, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_parameters(op, scales, sizes, error));
  return op->attributes[SHIFT] != ET_CPU_UNSHIFTED
             ? et_cpu_check_parameters(op, first + INPUTS, sizes, error)
             : ET_STATUS_OK;
}

static et_status check_part(const et_cpu_op *op, size_t part, et_error *error) {
  const et_cpu_tensor *x = op->tensors[X];
  const size_t first = part * inputs_each(op);
  ET_RETURN_IF_ERROR(et_cpu_check_rows(op, op->input_count + part, error));
  const int64_t columns = output(op, part)->sizes[x->rank - 1];
  const int64_t panels = (columns + 15) / 16;
  ET_RETURN_IF_ERROR(
      check_weights(op, first, x->sizes[x->rank - 1], panels, error));
  return et_cpu_check_numel(op, first + BIAS, ET_SCALAR_TYPE_FLOAT32,
                            panels * 16, error);
}

et_status et_cpu_low_bit_check(const et_cpu_op *op, uint16_t most_parts,
                               int32_t most_shift, et_error *error) {
  ET_RETURN_IF_ERROR(check_counts(op, most_parts, most_shift, error));
  for (size_t part = 0; part < op->output_count; part++) {
    ET_RETURN_IF_ERROR(check_part(op, part, error));
  }
  const size_t rows = et_cpu_low_bit_rows(op);
  ET_CPU_CHECK(error, op->output_count == 1 || rows == 1,
               "%s: %d outputs of %zu rows, expected one row", op->type->name,
               (int)op->output_count, rows);
  return ET_STATUS_OK;
}

et_cpu_gemm_qbw et_cpu_low_bit_read(const et_cpu_op *op, size_t part) {
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = output(op, part);
  const size_t first = part * inputs_each(op);
  et_cpu_gemm_qbw product = {.x = x->data,
                             .words = op->tensors[first + WORDS]->data,
                             .scales = et_cpu_parameters_of(op, first + SCALES),
                             .bias = op->tensors[first + BIAS]->data,
                             .out = y->data,
                             .depth = (size_t)x->sizes[x->rank - 1],
                             .columns = (size_t)y->sizes[x->rank - 1],
                             .bits = op->attributes[BITS],
                             .activation =
                                 et_cpu_read_activation(op, ACTIVATION)};
  if (op->attributes[SHIFT] == ET_CPU_ZERO_POINTS) {
    product.zero_points = et_cpu_parameters_of(op, first + INPUTS);
  } else if (op->attributes[SHIFT] == ET_CPU_MINIMA) {
    product.minima = et_cpu_parameters_of(op, first + INPUTS);
  }
  product.group = product.depth / (size_t)op->tensors[SCALES]->sizes[1];
  return product;
}

size_t et_cpu_low_bit_rows(const et_cpu_op *op) {
  const et_cpu_tensor *y = output(op, 0);
  const int32_t columns = y->sizes[y->rank - 1];
  return columns == 0 ? 0 : y->numel / (size_t)columns;
}
