#include "backends/cpu/ops/quantized.h"

#include "backends/cpu/ops/check.h"

et_status et_cpu_check_quantized_value(const et_cpu_op *op,
                                       const et_cpu_tensor *tensor,
                                       int32_t value, et_error *error) {
  const bool is_signed = tensor->dtype == ET_SCALAR_TYPE_INT8;
  const int32_t low = is_signed ? INT8_MIN : 0;
  const int32_t high = is_signed ? INT8_MAX : UINT8_MAX;
  ET_CPU_CHECK(error, value >= low && value <= high,
               "%s: quantized value of tensor %zu is %d, expected %d to %d",
               op->type->schema->name, et_cpu_tensor_index(op, tensor),
               (int)value, (int)low, (int)high);
  return ET_STATUS_OK;
}

et_status et_cpu_check_output_quantization(
    const et_cpu_op *op, const et_cpu_tensor *tensor,
    const et_cpu_output_quantization *output, et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_check_quantized_value(op, tensor, output->zero_point, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_quantized_value(op, tensor, output->low, error));
  return et_cpu_check_quantized_value(op, tensor, output->high, error);
}

et_status et_cpu_check_conv_quantization(
    const et_cpu_op *op, const et_cpu_tensor *x, int32_t zero_point,
    int32_t min_value, const et_cpu_tensor *y,
    const et_cpu_output_quantization *output, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_quantized_value(op, x, zero_point, error));
  ET_RETURN_IF_ERROR(et_cpu_check_quantized_value(op, x, min_value, error));
  return et_cpu_check_output_quantization(op, y, output, error);
}

et_cpu_qs8 et_cpu_qs8_of(const et_cpu_tensor *tensor, int32_t zero_point) {
  const et_cpu_qs8 bytes = {tensor->data, zero_point,
                            tensor->dtype == ET_SCALAR_TYPE_INT8,
                            tensor->bytes};
  return bytes;
}

et_status et_cpu_check_columns(const et_cpu_op *op, const et_cpu_tensor *sums,
                               const et_cpu_tensor *scales,
                               const et_cpu_tensor *biases, int64_t count,
                               et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_elements(op, sums, count, error));
  ET_RETURN_IF_ERROR(et_cpu_check_elements(op, scales, count, error));
  return et_cpu_check_elements(op, biases, count, error);
}

et_cpu_columns_i8 et_cpu_columns_of(const et_cpu_tensor *sums,
                                    const et_cpu_tensor *scales,
                                    const et_cpu_tensor *biases) {
  const bool is_start = biases->dtype == ET_SCALAR_TYPE_INT32;
  return (et_cpu_columns_i8){.sums = sums->data,
                             .scale = scales->data,
                             .bias = is_start ? NULL : biases->data,
                             .start = is_start ? biases->data : NULL};
}
