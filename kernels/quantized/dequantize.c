#include "kernels/quantized/quantize.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/loop.h"

static void dequantize_run(const et_quantization *q, et_scalar_type from,
                           et_scalar_type to, const et_loop *loop) {
  for (size_t start = 0; start < loop->count; start += ET_CHUNK) {
    et_chunk quantized;
    et_chunk real;
    const size_t rest = loop->count - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_load_run(ET_COMPUTE_INT64, from,
                loop->at[1] + (ptrdiff_t)start * loop->strides[1],
                loop->strides[1], n, &quantized);
    for (size_t i = 0; i < n; i++) {
      real.float32[i] = et_dequantize(q, quantized.int64[i]);
    }
    et_store_run(ET_COMPUTE_FLOAT32, &real, to,
                 loop->at[0] + (ptrdiff_t)start * loop->strides[0],
                 loop->strides[0], n);
  }
}

void et_dequantize_view(const et_quantization *q, const et_view *in,
                        const et_view *out) {
  const et_view views[2] = {*out, *in};
  for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
       et_loop_next(&loop)) {
    dequantize_run(q, in->dtype, out->dtype, &loop);
  }
}

et_status et_dequantize_check(et_kernel_context *context, const char *what,
                              const et_tensor *input, const et_value *dtype,
                              const et_value *out_dtype, const et_tensor *out) {
  ET_RETURN_IF_ERROR(et_quantization_check_dtype(context, what, input->dtype));
  ET_CHECK(context, dtype->u.as_int == (int64_t)input->dtype,
           "%s: input is %s, not dtype %lld", what,
           et_scalar_type_name((int32_t)input->dtype),
           (long long)dtype->u.as_int);
  ET_CHECK(
      context,
      et_scalar_type_is_floating(out->dtype) &&
          et_arg_int_or(out_dtype, (int64_t)out->dtype) == (int64_t)out->dtype,
      "%s: out has dtype %s; it must be floating-point and match out_dtype",
      what, et_scalar_type_name((int32_t)out->dtype));
  return ET_STATUS_OK;
}
