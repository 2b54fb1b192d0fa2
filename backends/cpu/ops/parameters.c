#include "backends/cpu/ops/low_bit.h"

#include "backends/cpu/ops/check.h"

et_status et_cpu_check_format(const et_cpu_op *op,
                              const et_cpu_low_bit_format *format,
                              et_error *error) {
  ET_CPU_CHECK(error, format->bits == 4 || format->bits == 8,
               "%s: weights have %d bits, expected 4 or 8",
               op->type->schema->name, (int)format->bits);
  return ET_STATUS_OK;
}

et_status et_cpu_check_parameters(const et_cpu_op *op,
                                  const et_cpu_tensor *tensor,
                                  const int64_t sizes[3], et_error *error) {
  if (tensor->dtype != ET_SCALAR_TYPE_FLOAT16 &&
      tensor->dtype != ET_SCALAR_TYPE_BFLOAT16) {
    ET_RETURN_IF_ERROR(
        et_cpu_check_dtype(op, tensor, ET_SCALAR_TYPE_FLOAT32, error));
  }
  return et_cpu_check_shape(op, tensor, 3, sizes, error);
}

et_cpu_parameters et_cpu_parameters_of(const et_cpu_tensor *tensor) {
  if (tensor == NULL) {
    return (et_cpu_parameters){NULL, ET_CPU_FLOAT32};
  }
  const et_cpu_width width =
      tensor->dtype == ET_SCALAR_TYPE_FLOAT16    ? ET_CPU_FLOAT16
      : tensor->dtype == ET_SCALAR_TYPE_BFLOAT16 ? ET_CPU_BFLOAT16
                                                 : ET_CPU_FLOAT32;
  return (et_cpu_parameters){tensor->data, width};
}
