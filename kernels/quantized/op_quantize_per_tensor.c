#include "executorch/kernels/args.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"
#include "kernels/quantized/quantize.h"

static void quantize_run(const et_quantization *q, et_scalar_type from,
                         et_scalar_type to, const et_loop *loop) {
  for (size_t start = 0; start < loop->count; start += ET_CHUNK) {
    et_chunk real;
    et_chunk quantized;
    const size_t rest = loop->count - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_load_run(ET_COMPUTE_FLOAT32, from,
                loop->at[1] + (ptrdiff_t)start * loop->strides[1],
                loop->strides[1], n, &real);
    for (size_t i = 0; i < n; i++) {
      quantized.int64[i] = et_quantize(q, real.float32[i]);
    }
    et_store_run(ET_COMPUTE_INT64, &quantized, to,
                 loop->at[0] + (ptrdiff_t)start * loop->strides[0],
                 loop->strides[0], n);
  }
}

/* `read` reads the scale and the zero point, which are scalars or tensors. */
static et_status quantize(et_kernel_context *context, et_value **args,
                          et_quantization_read_fn read) {
  const et_tensor *input = args[0]->u.as_tensor;
  et_tensor *out = args[6]->u.as_tensor;
  et_quantization q;
  ET_RETURN_IF_ERROR(
      et_quantization_check_call(context, "quantize_per_tensor", input, args[5],
                                 args[3]->u.as_int, args[4]->u.as_int, out));
  ET_RETURN_IF_ERROR(
      read(context, "quantize_per_tensor", &args[1], out->dtype, &q));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, input));
  const et_view views[2] = {et_view_of(out), et_view_of(input)};
  for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
       et_loop_next(&loop)) {
    quantize_run(&q, input->dtype, out->dtype, &loop);
  }
  return ET_STATUS_OK;
}

et_status et_op_quantize_per_tensor_out(et_kernel_context *context,
                                        et_value **args) {
  return quantize(context, args, et_quantization_read);
}

et_status et_op_quantize_per_tensor_tensor_out(et_kernel_context *context,
                                               et_value **args) {
  return quantize(context, args, et_quantization_read_tensors);
}
