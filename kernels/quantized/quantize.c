#include "kernels/quantized/quantize.h"

#include "executorch/kernels/args.h"

typedef struct limits {
  int64_t low;
  int64_t high;
} limits;

static limits limits_of(et_scalar_type dtype) {
  switch (dtype) {
    case ET_SCALAR_TYPE_UINT8:
      return (limits){0, UINT8_MAX};
    case ET_SCALAR_TYPE_INT8:
      return (limits){INT8_MIN, INT8_MAX};
    case ET_SCALAR_TYPE_INT16:
      return (limits){INT16_MIN, INT16_MAX};
    case ET_SCALAR_TYPE_INT32:
      return (limits){INT32_MIN, INT32_MAX};
    default:
      return (limits){0, -1};
  }
}

et_status et_quantization_check_dtype(et_kernel_context *context,
                                      const char *what, et_scalar_type dtype) {
  ET_CHECK(context, limits_of(dtype).low <= limits_of(dtype).high,
           "%s: %s is not a quantized dtype", what,
           et_scalar_type_name((int32_t)dtype));
  return ET_STATUS_OK;
}

et_status et_quantization_check_limits(et_kernel_context *context,
                                       const char *what, int64_t low,
                                       int64_t high, et_scalar_type dtype) {
  const limits range = limits_of(dtype);
  ET_RETURN_IF_ERROR(et_quantization_check_dtype(context, what, dtype));
  ET_CHECK(context, low >= range.low && high <= range.high && low <= high,
           "%s: quant_min %lld and quant_max %lld do not fit %s", what,
           (long long)low, (long long)high,
           et_scalar_type_name((int32_t)dtype));
  return ET_STATUS_OK;
}

et_status et_quantization_check_call(et_kernel_context *context,
                                     const char *what, const et_tensor *input,
                                     const et_value *dtype, int64_t low,
                                     int64_t high, const et_tensor *out) {
  ET_CHECK(context,
           et_scalar_type_is_floating(input->dtype) &&
               dtype->u.as_int == (int64_t)out->dtype,
           "%s: cannot quantize %s to dtype %lld with out of %s", what,
           et_scalar_type_name((int32_t)input->dtype),
           (long long)dtype->u.as_int,
           et_scalar_type_name((int32_t)out->dtype));
  return et_quantization_check_limits(context, what, low, high, out->dtype);
}

et_status et_quantization_make(et_kernel_context *context, const char *what,
                               double scale, int64_t zero_point, int64_t low,
                               int64_t high, et_scalar_type dtype,
                               et_quantization *out) {
  const limits range = limits_of(dtype);
  *out = (et_quantization){(float)scale, (float)(1.0 / scale), zero_point, low,
                           high};
  ET_RETURN_IF_ERROR(et_quantization_check_dtype(context, what, dtype));
  ET_CHECK(context,
           out->scale > 0.0f && isfinite(out->scale) && isfinite(out->inverse),
           "%s: the scale is not a positive number", what);
  ET_RETURN_IF_ERROR(
      et_quantization_check_limits(context, what, low, high, dtype));
  ET_CHECK(context, zero_point >= range.low && zero_point <= range.high,
           "%s: zero_point %lld does not fit %s", what, (long long)zero_point,
           et_scalar_type_name((int32_t)dtype));
  return ET_STATUS_OK;
}

et_status et_quantization_read(et_kernel_context *context, const char *what,
                               et_value *const *args, et_scalar_type dtype,
                               et_quantization *out) {
  return et_quantization_make(context, what, et_scalar_to_double(args[0]),
                              args[1]->u.as_int, args[2]->u.as_int,
                              args[3]->u.as_int, dtype, out);
}

et_status et_quantization_read_tensors(et_kernel_context *context,
                                       const char *what, et_value *const *args,
                                       et_scalar_type dtype,
                                       et_quantization *out) {
  const et_tensor *scale = args[0]->u.as_tensor;
  const et_tensor *zero_point = args[1]->u.as_tensor;
  double step = 0;
  int64_t point = 0;
  ET_CHECK(context, scale->numel == 1 && zero_point->numel == 1,
           "%s: scale and zero_point must have one element, not %zu and %zu",
           what, scale->numel, zero_point->numel);
  et_load_run(ET_COMPUTE_FLOAT64, scale->dtype, scale->data, 0, 1, &step);
  et_load_run(ET_COMPUTE_INT64, zero_point->dtype, zero_point->data, 0, 1,
              &point);
  return et_quantization_make(context, what, step, point, args[2]->u.as_int,
                              args[3]->u.as_int, dtype, out);
}
