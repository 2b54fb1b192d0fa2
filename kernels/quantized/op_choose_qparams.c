#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/loop.h"
#include "kernels/quantized/quantize.h"

static et_range range_of(const et_tensor *input) {
  const et_view view = et_view_of(input);
  et_range range = {0.0f, 0.0f};
  for (et_loop loop = et_loop_over(&view, 1); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t start = 0; start < loop.count; start += ET_CHUNK) {
      et_chunk chunk;
      const size_t rest = loop.count - start;
      const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
      et_load_run(ET_COMPUTE_FLOAT32, view.dtype,
                  loop.at[0] + (ptrdiff_t)start * loop.strides[0],
                  loop.strides[0], n, &chunk);
      et_range_take(&range, chunk.float32, n);
    }
  }
  return range;
}

static et_status check_choose_qparams(et_kernel_context *context,
                                      et_value **args) {
  const int64_t low = args[1]->u.as_int;
  const int64_t high = args[2]->u.as_int;
  const int64_t dtype = args[4]->u.as_int;
  ET_CHECK(context, dtype >= 0 && dtype <= ET_SCALAR_TYPE_INT32,
           "choose_qparams: dtype %lld is not a quantized dtype",
           (long long)dtype);
  ET_CHECK(context, low < high,
           "choose_qparams: quant_min %lld is not below quant_max %lld",
           (long long)low, (long long)high);
  return et_quantization_check_limits(context, "choose_qparams", low, high,
                                      (et_scalar_type)dtype);
}

static et_status store(et_kernel_context *context, et_value **args,
                       et_range_parameters chosen) {
  et_tensor *scale = args[5]->u.as_tensor;
  et_tensor *zero_point = args[6]->u.as_tensor;
  const int32_t one = 1;
  ET_RETURN_IF_ERROR(et_tensor_resize(scale, &one, 1, context->error));
  ET_RETURN_IF_ERROR(et_tensor_resize(zero_point, &one, 1, context->error));
  et_store_run(ET_COMPUTE_FLOAT64, &chosen.scale, scale->dtype, scale->data, 0,
               1);
  et_store_run(ET_COMPUTE_INT64, &chosen.zero_point, zero_point->dtype,
               zero_point->data, 0, 1);
  return ET_STATUS_OK;
}

/* `eps` is ignored, as in ExecuTorch's kernel. */
et_status et_op_choose_qparams_out(et_kernel_context *context,
                                   et_value **args) {
  ET_RETURN_IF_ERROR(check_choose_qparams(context, args));
  const et_range range = range_of(args[0]->u.as_tensor);
  return store(
      context, args,
      et_range_asymmetric(&range, args[1]->u.as_int, args[2]->u.as_int));
}

et_status et_op_choose_qparams_symmetric_out(et_kernel_context *context,
                                             et_value **args) {
  ET_RETURN_IF_ERROR(check_choose_qparams(context, args));
  const et_range range = range_of(args[0]->u.as_tensor);
  const float most = -range.low > range.high ? -range.low : range.high;
  const float steps =
      (float)((double)(args[2]->u.as_int - args[1]->u.as_int) / 2.0);
  const float eps = (float)et_scalar_to_double(args[3]);
  const float scale = most / steps;
  const bool is_unsigned = args[4]->u.as_int == ET_SCALAR_TYPE_UINT8;
  return store(context, args,
               (et_range_parameters){(double)(scale > eps ? scale : eps),
                                     is_unsigned ? 128 : 0});
}
