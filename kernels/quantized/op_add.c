#include "executorch/kernels/args.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"
#include "kernels/quantized/quantize.h"

typedef struct addition {
  et_quantization a;
  et_quantization b;
  et_quantization out;
} addition;

static void add_run(const addition *add, const et_tensor *const *tensors,
                    const et_loop *loop) {
  for (size_t start = 0; start < loop->count; start += ET_CHUNK) {
    et_chunk a;
    et_chunk b;
    const size_t rest = loop->count - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_load_run(ET_COMPUTE_INT64, tensors[1]->dtype,
                loop->at[1] + (ptrdiff_t)start * loop->strides[1],
                loop->strides[1], n, &a);
    et_load_run(ET_COMPUTE_INT64, tensors[2]->dtype,
                loop->at[2] + (ptrdiff_t)start * loop->strides[2],
                loop->strides[2], n, &b);
    for (size_t i = 0; i < n; i++) {
      const float sum = et_dequantize(&add->a, a.int64[i]) +
                        et_dequantize(&add->b, b.int64[i]);
      a.int64[i] = et_quantize(&add->out, sum);
    }
    et_store_run(ET_COMPUTE_INT64, &a, tensors[0]->dtype,
                 loop->at[0] + (ptrdiff_t)start * loop->strides[0],
                 loop->strides[0], n);
  }
}

static et_status read_parameters(et_kernel_context *context, et_value **args,
                                 addition *add) {
  ET_RETURN_IF_ERROR(et_quantization_read(context, "quantized add: a", &args[1],
                                          args[0]->u.as_tensor->dtype,
                                          &add->a));
  ET_RETURN_IF_ERROR(et_quantization_read(context, "quantized add: b", &args[6],
                                          args[5]->u.as_tensor->dtype,
                                          &add->b));
  return et_quantization_read(context, "quantized add: out", &args[10],
                              args[14]->u.as_tensor->dtype, &add->out);
}

et_status et_op_quantized_add_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[14]->u.as_tensor;
  et_tensor *operands[2] = {args[0]->u.as_tensor, args[5]->u.as_tensor};
  const et_tensor *const tensors[3] = {out, operands[0], operands[1]};
  addition add;
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  et_view views[3];
  ET_RETURN_IF_ERROR(read_parameters(context, args, &add));
  ET_RETURN_IF_ERROR(
      et_shape_broadcast(context, "quantized add", operands, 2, sizes, &rank));
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, rank, context->error));
  views[0] = et_view_of(out);
  for (size_t i = 1; i < 3; i++) {
    const et_view view = et_view_of(tensors[i]);
    et_view_expand(&view, sizes, rank, &views[i]);
  }
  for (et_loop loop = et_loop_over(views, 3); loop.count > 0;
       et_loop_next(&loop)) {
    add_run(&add, tensors, &loop);
  }
  return ET_STATUS_OK;
}
