#include "kernels/quantized/int8_arguments.h"

#include "executorch/kernels/args.h"
#include "kernels/quantized/quantize.h"

et_status et_int8_read_params(et_kernel_context *context, const char *what,
                              const et_tensor *tensor, const et_value *value,
                              et_int8_params *out) {
  const int64_t zero_point = value->u.as_int;
  et_quantization q;
  ET_RETURN_IF_ERROR(et_quantization_make(context, what, 1.0, zero_point, 0, 0,
                                          tensor->dtype, &q));
  *out = et_int8_params_of(tensor->dtype, zero_point);
  return ET_STATUS_OK;
}

et_status et_int8_read_range(et_kernel_context *context, const char *what,
                             const et_tensor *tensor, et_value *const *args,
                             et_int8_range *out) {
  et_quantization q;
  ET_RETURN_IF_ERROR(et_quantization_make(context, what, 1.0, args[0]->u.as_int,
                                          args[1]->u.as_int, args[2]->u.as_int,
                                          tensor->dtype, &q));
  *out =
      (et_int8_range){(int32_t)q.zero_point, (int32_t)q.low, (int32_t)q.high};
  return ET_STATUS_OK;
}

static bool has_rows(const et_tensor *tensor, int32_t rows) {
  return tensor == NULL || (tensor->rank == 1 && tensor->sizes[0] == rows);
}

et_status et_int8_check_gemm(et_kernel_context *context, const char *what,
                             const et_tensor *weight, size_t depth,
                             const et_tensor *factors, const et_tensor *bias) {
  const int32_t rows = weight->sizes[0];
  ET_CHECK(context, depth <= ET_INT8_GEMM_DEPTH,
           "%s: K = %zu exceeds %d and can overflow int32; keep this layer in "
           "float32",
           what, depth, ET_INT8_GEMM_DEPTH);
  ET_CHECK(context, has_rows(factors, rows) && has_rows(bias, rows),
           "%s: factors and bias must have one dimension of %d elements", what,
           (int)rows);
  ET_CHECK(context, et_int8_gemm_columns(depth, context->scratch) > 0,
           "%s: scratch of %zu bytes is too small for a column of %zu", what,
           context->scratch.size, depth);
  return ET_STATUS_OK;
}
