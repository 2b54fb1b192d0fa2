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

size_t et_cpu_few_bits_own(const et_cpu_step *step) {
  return INPUTS + (step->attributes[SHIFT] != ET_CPU_UNSHIFTED ? 1u : 0u);
}

static const et_cpu_tensor *output(const et_cpu_step *step) {
  return step->tensors[step->input_count];
}

static et_status check_counts(const et_cpu_step *step, uint16_t least,
                              int32_t most_shift, et_error *error) {
  const et_cpu_counts any = {.inputs_least = INPUTS,
                             .inputs_most = INPUTS + 2,
                             .outputs = 1,
                             .attributes = ATTRIBUTES};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &any, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, BITS, 4, 8, error));
  ET_CPU_CHECK(error, step->attributes[BITS] % 4 == 0, "%s: weights of %d bits",
               step->kind->name, (int)step->attributes[BITS]);
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, SHIFT, 0, most_shift, error));
  const size_t own_index = et_cpu_few_bits_own(step);
  const et_cpu_counts own = {.inputs_least = (uint16_t)(own_index + least),
                             .inputs_most = (uint16_t)(own_index + 1),
                             .outputs = 1,
                             .attributes = ATTRIBUTES};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &own, error));
  return et_cpu_check_activation(step, ACTIVATION, error);
}

/* Groups are whole words, so that a word has one scale. */
static et_status check_weights(const et_cpu_step *step, int64_t depth,
                               int64_t panels, et_error *error) {
  const int64_t codes = 32 / et_cpu_attribute(step, BITS);
  const et_cpu_tensor *scales = step->tensors[SCALES];
  ET_CPU_CHECK(error, depth > 0 && depth % codes == 0,
               "%s: %d summands are no words of %d", step->kind->name,
               (int)depth, (int)codes);
  const int64_t words[3] = {panels, depth / codes, 16};
  ET_RETURN_IF_ERROR(
      et_cpu_check_sizes(step, WORDS, ET_SCALAR_TYPE_INT32, 3, words, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(
      step, SCALES, et_cpu_parameters_dtype(step, SCALES), 3, error));
  const int64_t groups = scales->sizes[1];
  ET_CPU_CHECK(error,
               groups > 0 && depth % groups == 0 && depth / groups % codes == 0,
               "%s: %d groups of %d summands are no words of %d",
               step->kind->name, (int)groups, (int)depth, (int)codes);
  const int64_t sizes[3] = {panels, groups, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_parameters(step, SCALES, sizes, error));
  return step->attributes[SHIFT] != ET_CPU_UNSHIFTED
             ? et_cpu_check_parameters(step, INPUTS, sizes, error)
             : ET_STATUS_OK;
}

et_status et_cpu_few_bits_check(const et_cpu_step *step, uint16_t least,
                                int32_t most_shift, et_error *error) {
  ET_RETURN_IF_ERROR(check_counts(step, least, most_shift, error));
  const et_cpu_tensor *x = step->tensors[X];
  ET_RETURN_IF_ERROR(et_cpu_check_rows(step, error));
  const int64_t columns = output(step)->sizes[x->rank - 1];
  const int64_t panels = (columns + 15) / 16;
  ET_RETURN_IF_ERROR(check_weights(step, x->sizes[x->rank - 1], panels, error));
  return et_cpu_check_numel(step, BIAS, ET_SCALAR_TYPE_FLOAT32, panels * 16,
                            error);
}

et_cpu_product_q et_cpu_few_bits_read(const et_cpu_step *step) {
  const et_cpu_tensor *x = step->tensors[X];
  et_cpu_product_q product = {
      .x = x->data,
      .words = step->tensors[WORDS]->data,
      .scales = et_cpu_parameters_of(step, SCALES),
      .bias = step->tensors[BIAS]->data,
      .out = output(step)->data,
      .depth = (size_t)x->sizes[x->rank - 1],
      .columns = (size_t)output(step)->sizes[x->rank - 1],
      .bits = step->attributes[BITS],
      .activation = et_cpu_read_activation(step, ACTIVATION)};
  if (step->attributes[SHIFT] == ET_CPU_ZERO_POINTS) {
    product.zero_points = et_cpu_parameters_of(step, INPUTS);
  } else if (step->attributes[SHIFT] == ET_CPU_MINIMA) {
    product.minima = et_cpu_parameters_of(step, INPUTS);
  }
  product.group = product.depth / (size_t)step->tensors[SCALES]->sizes[1];
  return product;
}

size_t et_cpu_few_bits_rows(const et_cpu_step *step) {
  const et_cpu_tensor *y = output(step);
  const int32_t columns = y->sizes[y->rank - 1];
  return columns == 0 ? 0 : y->numel / (size_t)columns;
}
