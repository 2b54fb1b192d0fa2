#include "backends/cpu/steps/few_bits.h"

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/products.h"

enum {
  X = ET_CPU_FEW_BITS_X,
  WORDS = ET_CPU_FEW_BITS_WORDS,
  SCALES = ET_CPU_FEW_BITS_SCALES,
  BIAS = ET_CPU_FEW_BITS_BIAS,
  INPUTS = ET_CPU_FEW_BITS_INPUTS
};
enum { BITS, SHIFT, ACTIVATION, ATTRIBUTES = ACTIVATION + 3 };

/* Inputs of each product. */
static size_t inputs_each(const et_cpu_step *step) {
  return INPUTS - WORDS + (step->attributes[SHIFT] != ET_CPU_UNSHIFTED ? 1 : 0);
}

size_t et_cpu_few_bits_own(const et_cpu_step *step) {
  return WORDS + step->output_count * inputs_each(step);
}

static const et_cpu_tensor *output(const et_cpu_step *step, size_t part) {
  return step->tensors[step->input_count + part];
}

static et_status check_counts(const et_cpu_step *step, uint16_t most_parts,
                              int32_t most_shift, et_error *error) {
  et_cpu_counts counts = {.inputs_least = INPUTS,
                          .inputs_most =
                              (uint16_t)(WORDS + most_parts * INPUTS + 1),
                          .outputs = 1,
                          .more_outputs = (uint16_t)(most_parts - 1),
                          .attributes = ATTRIBUTES};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, BITS, 4, 8, error));
  ET_CPU_CHECK(error, step->attributes[BITS] % 4 == 0, "%s: weights of %d bits",
               step->kind->name, (int)step->attributes[BITS]);
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, SHIFT, 0, most_shift, error));
  counts.inputs_least = (uint16_t)et_cpu_few_bits_own(step);
  counts.inputs_most =
      (uint16_t)(counts.inputs_least + (step->output_count == 1 ? 1 : 0));
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  return et_cpu_check_activation(step, ACTIVATION, error);
}

/* Groups are whole words, so that a word has one scale; all products have as many. */
static et_status check_weights(const et_cpu_step *step, size_t first,
                               int64_t depth, int64_t panels, et_error *error) {
  const int64_t codes = 32 / et_cpu_attribute(step, BITS);
  const int64_t groups = step->tensors[SCALES]->sizes[1];
  const size_t scales = first + SCALES;
  ET_CPU_CHECK(error, depth > 0 && depth % codes == 0,
               "%s: %d summands are no words of %d", step->kind->name,
               (int)depth, (int)codes);
  const int64_t words[3] = {panels, depth / codes, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(step, first + WORDS,
                                        ET_SCALAR_TYPE_INT32, 3, words, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(
      step, scales, et_cpu_parameters_dtype(step, scales), 3, error));
  ET_CPU_CHECK(error,
               groups > 0 && depth % groups == 0 && depth / groups % codes == 0,
               "%s: %d groups of %d summands are no words of %d",
               step->kind->name, (int)groups, (int)depth, (int)codes);
  const int64_t sizes[3] = {panels, groups, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_parameters(step, scales, sizes, error));
  return step->attributes[SHIFT] != ET_CPU_UNSHIFTED
             ? et_cpu_check_parameters(step, first + INPUTS, sizes, error)
             : ET_STATUS_OK;
}

static et_status check_part(const et_cpu_step *step, size_t part,
                            et_error *error) {
  const et_cpu_tensor *x = step->tensors[X];
  const size_t first = part * inputs_each(step);
  ET_RETURN_IF_ERROR(et_cpu_check_rows(step, step->input_count + part, error));
  const int64_t columns = output(step, part)->sizes[x->rank - 1];
  const int64_t panels = (columns + 15) / 16;
  ET_RETURN_IF_ERROR(
      check_weights(step, first, x->sizes[x->rank - 1], panels, error));
  return et_cpu_check_numel(step, first + BIAS, ET_SCALAR_TYPE_FLOAT32,
                            panels * 16, error);
}

et_status et_cpu_few_bits_check(const et_cpu_step *step, uint16_t most_parts,
                                int32_t most_shift, et_error *error) {
  ET_RETURN_IF_ERROR(check_counts(step, most_parts, most_shift, error));
  for (size_t part = 0; part < step->output_count; part++) {
    ET_RETURN_IF_ERROR(check_part(step, part, error));
  }
  const size_t rows = et_cpu_few_bits_rows(step);
  ET_CPU_CHECK(error, step->output_count == 1 || rows == 1,
               "%s: %d outputs of %zu rows, expected one row", step->kind->name,
               (int)step->output_count, rows);
  return ET_STATUS_OK;
}

et_cpu_product_q et_cpu_few_bits_read(const et_cpu_step *step, size_t part) {
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = output(step, part);
  const size_t first = part * inputs_each(step);
  et_cpu_product_q product = {
      .x = x->data,
      .words = step->tensors[first + WORDS]->data,
      .scales = et_cpu_parameters_of(step, first + SCALES),
      .bias = step->tensors[first + BIAS]->data,
      .out = y->data,
      .depth = (size_t)x->sizes[x->rank - 1],
      .columns = (size_t)y->sizes[x->rank - 1],
      .bits = step->attributes[BITS],
      .activation = et_cpu_read_activation(step, ACTIVATION)};
  if (step->attributes[SHIFT] == ET_CPU_ZERO_POINTS) {
    product.zero_points = et_cpu_parameters_of(step, first + INPUTS);
  } else if (step->attributes[SHIFT] == ET_CPU_MINIMA) {
    product.minima = et_cpu_parameters_of(step, first + INPUTS);
  }
  product.group = product.depth / (size_t)step->tensors[SCALES]->sizes[1];
  return product;
}

size_t et_cpu_few_bits_rows(const et_cpu_step *step) {
  const et_cpu_tensor *y = output(step, 0);
  const int32_t columns = y->sizes[y->rank - 1];
  return columns == 0 ? 0 : y->numel / (size_t)columns;
}
