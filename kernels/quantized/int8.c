#include "kernels/quantized/int8.h"

#include "executorch/kernels/args.h"
#include "kernels/quantized/quantize.h"

et_status et_bytes_reading(et_kernel_context *context, const char *what,
                           const et_tensor *tensor, const et_value *value,
                           et_byte_reading *out) {
  const int64_t zero_point = value->u.as_int;
  et_quantization q;
  ET_RETURN_IF_ERROR(et_quantization_make(context, what, 1.0, zero_point, 0, 0,
                                          tensor->dtype, &q));
  *out = et_byte_reading_of(tensor->dtype, zero_point);
  return ET_STATUS_OK;
}

et_status et_bytes_range(et_kernel_context *context, const char *what,
                         const et_tensor *tensor, et_value *const *args,
                         et_byte_range *out) {
  et_quantization q;
  ET_RETURN_IF_ERROR(et_quantization_make(context, what, 1.0, args[0]->u.as_int,
                                          args[1]->u.as_int, args[2]->u.as_int,
                                          tensor->dtype, &q));
  *out =
      (et_byte_range){(int32_t)q.zero_point, (int32_t)q.low, (int32_t)q.high};
  return ET_STATUS_OK;
}

static bool has_rows(const et_tensor *tensor, int32_t rows) {
  return tensor == NULL || (tensor->rank == 1 && tensor->sizes[0] == rows);
}

et_status et_bytes_check_product(et_kernel_context *context, const char *what,
                                 const et_tensor *weight, size_t depth,
                                 const et_tensor *factors,
                                 const et_tensor *bias) {
  const int32_t rows = weight->sizes[0];
  ET_CHECK(context, depth <= ET_BYTE_PRODUCT_DEPTH,
           "%s: sums of %zu products may not fit 32 bits, those of %d do", what,
           depth, ET_BYTE_PRODUCT_DEPTH);
  ET_CHECK(context, has_rows(factors, rows) && has_rows(bias, rows),
           "%s: factors and bias must have one dimension of %d elements", what,
           (int)rows);
  ET_CHECK(context, et_byte_product_columns(depth, context->scratch) > 0,
           "%s: %zu bytes of scratch hold no column of %zu", what,
           context->scratch.size, depth);
  return ET_STATUS_OK;
}
