#include "backends/cpu/ops/low_bit.h"

#include "backends/cpu/ops/check.h"

static int32_t last_size(const et_cpu_tensor *tensor) {
  return tensor->sizes[tensor->rank - 1];
}

et_status et_cpu_low_bit_check_others(const et_cpu_op *op, size_t others,
                                      size_t operands, size_t optional,
                                      et_error *error) {
  const size_t before = op->input_count - others;
  ET_CPU_CHECK(error, others >= operands && others <= operands + optional,
               optional == 0 ? "%s: %d inputs, expected %zu"
                             : "%s: %d inputs, expected %zu to %zu",
               op->type->schema->name, (int)op->input_count, before + operands,
               before + operands + optional);
  return ET_STATUS_OK;
}

/* Each group fills complete words, so all weights of a word have the same scale. */
static et_status check_weights(const et_cpu_op *op,
                               const et_cpu_low_bit_gemm *gemm, int64_t panels,
                               et_error *error) {
  const int32_t depth = last_size(gemm->x);
  const int32_t groups = gemm->groups;
  const int32_t per_word = 32 / gemm->format.bits;
  ET_CPU_CHECK(error, depth > 0 && depth % per_word == 0,
               "%s: K is %d, expected a multiple of %d", op->type->schema->name,
               (int)depth, (int)per_word);
  const int64_t words[3] = {panels, depth / per_word, 16};
  ET_RETURN_IF_ERROR(
      et_cpu_check_dtype(op, gemm->weights, ET_SCALAR_TYPE_INT32, error));
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, gemm->weights, 3, words, error));
  ET_CPU_CHECK(
      error,
      groups > 0 && depth % groups == 0 && depth / groups % per_word == 0,
      "%s: K is %d in %d groups, expected a group size divisible by %d",
      op->type->schema->name, (int)depth, (int)groups, (int)per_word);
  const int64_t sizes[3] = {panels, groups, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_parameters(op, gemm->scales, sizes, error));
  return gemm->offsets != NULL
             ? et_cpu_check_parameters(op, gemm->offsets, sizes, error)
             : ET_STATUS_OK;
}

et_status et_cpu_low_bit_check(const et_cpu_op *op,
                               const et_cpu_low_bit_gemm *gemm,
                               et_error *error) {
  const int64_t panels = (last_size(gemm->y) + (int64_t)15) / 16;
  ET_RETURN_IF_ERROR(et_cpu_check_same_rows(op, gemm->y, gemm->x, error));
  ET_RETURN_IF_ERROR(check_weights(op, gemm, panels, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_dtype(op, gemm->bias, ET_SCALAR_TYPE_FLOAT32, error));
  return et_cpu_check_elements(op, gemm->bias, panels * 16, error);
}

et_cpu_gemm_qbw et_cpu_low_bit_arguments(const et_cpu_low_bit_gemm *gemm) {
  et_cpu_gemm_qbw arguments = {.x = gemm->x->data,
                               .words = gemm->weights->data,
                               .scales = et_cpu_parameters_of(gemm->scales),
                               .bias = gemm->bias->data,
                               .out = gemm->y->data,
                               .depth = (size_t)last_size(gemm->x),
                               .columns = (size_t)last_size(gemm->y),
                               .bits = (size_t)gemm->format.bits,
                               .activation = gemm->activation};
  if (gemm->format.offset == ET_CPU_WEIGHT_OFFSET_MINIMA) {
    arguments.minima = et_cpu_parameters_of(gemm->offsets);
  } else {
    arguments.zero_points = et_cpu_parameters_of(gemm->offsets);
  }
  arguments.group = arguments.depth / (size_t)gemm->groups;
  return arguments;
}

size_t et_cpu_low_bit_rows(const et_cpu_tensor *y) {
  const int32_t columns = last_size(y);
  return columns == 0 ? 0 : y->numel / (size_t)columns;
}
