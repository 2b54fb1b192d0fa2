#include "backends/cpu/ops/quantized.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/ops/check.h"

enum { INVERSE, ZERO_POINT, LOW, HIGH };

et_status et_cpu_check_quantized_value(const et_cpu_op *op,
                                       const et_cpu_tensor *tensor,
                                       int32_t value, et_error *error) {
  const bool is_signed = tensor->dtype == ET_SCALAR_TYPE_INT8;
  const int32_t low = is_signed ? INT8_MIN : 0;
  const int32_t high = is_signed ? INT8_MAX : UINT8_MAX;
  ET_CPU_CHECK(error, value >= low && value <= high,
               "%s: quantized value of tensor %zu is %d, expected %d to %d",
               op->type->name, et_cpu_tensor_index(op, tensor), (int)value,
               (int)low, (int)high);
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

et_cpu_bytes et_cpu_bytes_of(const et_cpu_tensor *tensor, int32_t zero_point) {
  const et_cpu_bytes bytes = {tensor->data, zero_point,
                              tensor->dtype == ET_SCALAR_TYPE_INT8,
                              tensor->bytes};
  return bytes;
}

et_status et_cpu_check_bytes(const et_cpu_op *op, size_t index,
                             et_error *error) {
  const uint8_t dtype = op->tensors[index]->dtype;
  ET_CPU_CHECK(error,
               dtype == ET_SCALAR_TYPE_INT8 || dtype == ET_SCALAR_TYPE_UINT8,
               "%s: tensor %zu is %s, expected int8 or uint8", op->type->name,
               index, et_scalar_type_name(dtype));
  return ET_STATUS_OK;
}

et_status et_cpu_check_image_i8(const et_cpu_op *op, size_t index,
                                et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_bytes(op, index, error));
  const et_scalar_type dtype = (et_scalar_type)op->tensors[index]->dtype;
  return et_cpu_check_tensor(op, index, dtype, 4, error);
}

et_cpu_bytes et_cpu_read_bytes(const et_cpu_op *op, size_t index, size_t word) {
  const et_cpu_tensor *tensor = op->tensors[index];
  const et_cpu_bytes bytes = {tensor->data, (int32_t)op->attributes[word],
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

et_status et_cpu_check_byte(const et_cpu_op *op, size_t word, size_t index,
                            et_error *error) {
  const bool is_signed = op->tensors[index]->dtype == ET_SCALAR_TYPE_INT8;
  return et_cpu_check_attribute(op, word, is_signed ? -128 : 0,
                                is_signed ? 127 : 255, error);
}

et_status et_cpu_check_quantizing(const et_cpu_op *op, size_t word,
                                  size_t index, et_error *error) {
  const float inverse = et_cpu_float_attribute(op, word + INVERSE);
  ET_CPU_CHECK(error, isfinite(inverse) && inverse > 0,
               "%s: attribute %zu is no positive number", op->type->name,
               word + INVERSE);
  ET_RETURN_IF_ERROR(et_cpu_check_bytes(op, index, error));
  ET_RETURN_IF_ERROR(et_cpu_check_byte(op, word + ZERO_POINT, index, error));
  ET_RETURN_IF_ERROR(et_cpu_check_byte(op, word + LOW, index, error));
  return et_cpu_check_byte(op, word + HIGH, index, error);
}

et_cpu_output_quantization et_cpu_read_output_quantization(const et_cpu_op *op,
                                                           size_t word) {
  const et_cpu_output_quantization quantizing = {
      et_cpu_float_attribute(op, word + INVERSE),
      (int32_t)op->attributes[word + ZERO_POINT],
      (int32_t)op->attributes[word + LOW],
      (int32_t)op->attributes[word + HIGH]};
  return quantizing;
}

float et_cpu_float_attribute(const et_cpu_op *op, size_t word) {
  float value;
  memcpy(&value, &op->attributes[word], sizeof(value));
  return value;
}
