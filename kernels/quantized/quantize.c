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

et_status et_quantization_read(et_kernel_context *context, const char *what,
                               et_value *const *args, et_scalar_type dtype,
                               et_quantization *out) {
  const double scale = et_scalar_to_double(args[0]);
  const limits range = limits_of(dtype);
  *out =
      (et_quantization){(float)scale, (float)(1.0 / scale), args[1]->u.as_int,
                        args[2]->u.as_int, args[3]->u.as_int};
  ET_RETURN_IF_ERROR(et_quantization_check_dtype(context, what, dtype));
  ET_CHECK(context,
           out->scale > 0.0f && isfinite(out->scale) && isfinite(out->inverse),
           "%s: the scale is not a positive number", what);
  ET_CHECK(
      context,
      out->low >= range.low && out->high <= range.high && out->low <= out->high,
      "%s: quant_min %lld and quant_max %lld do not fit %s", what,
      (long long)out->low, (long long)out->high,
      et_scalar_type_name((int32_t)dtype));
  ET_CHECK(context,
           out->zero_point >= range.low && out->zero_point <= range.high,
           "%s: zero_point %lld does not fit %s", what,
           (long long)out->zero_point, et_scalar_type_name((int32_t)dtype));
  return ET_STATUS_OK;
}
