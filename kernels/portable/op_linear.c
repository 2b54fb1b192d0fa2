#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/matmul.h"

/* Views a tensor with contiguous leading dimensions as a matrix whose rows are
 * lines of the last dimension. */
static et_view as_rows(const et_tensor *tensor) {
  et_view view = et_view_of(tensor);
  int32_t rows = 1;
  for (size_t d = 0; d + 1 < view.rank; d++) {
    rows *= view.sizes[d];
  }
  view.sizes[1] = view.sizes[view.rank - 1];
  view.sizes[0] = rows;
  view.strides[0] = view.sizes[1];
  view.strides[1] = 1;
  view.rank = 2;
  return view;
}

static et_status check_linear(et_kernel_context *context,
                              const et_tensor *input, const et_tensor *weight,
                              const et_tensor *bias, const et_tensor *out) {
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "linear: input", input, 1, ET_MAX_RANK));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "linear: weight", weight, 2, 2));
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "linear: out", out, input->rank, input->rank));
  ET_CHECK(context, input->sizes[input->rank - 1] == weight->sizes[1],
           "linear: input has %d features, weight needs %d",
           (int)input->sizes[input->rank - 1], (int)weight->sizes[1]);
  ET_CHECK(
      context,
      bias == NULL || (bias->rank == 1 && bias->sizes[0] == weight->sizes[0]),
      "linear: bias must have one dimension of %d elements",
      (int)weight->sizes[0]);
  ET_CHECK(context,
           et_tensor_is_contiguous(input) && et_tensor_is_contiguous(out),
           "linear: input and out must be in row-major order");
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, const et_tensor *input,
                            int32_t features, et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  for (size_t d = 0; d < input->rank; d++) {
    sizes[d] = d + 1 < input->rank ? input->sizes[d] : features;
  }
  return et_tensor_resize(out, sizes, input->rank, context->error);
}

static et_status plan(et_kernel_context *context, et_value *const *args,
                      et_matmul *product) {
  const et_tensor *input = args[0]->u.as_tensor;
  const et_tensor *weight = args[1]->u.as_tensor;
  const et_tensor *bias = et_arg_tensor(args[2]);
  const et_tensor *out = args[3]->u.as_tensor;
  ET_RETURN_IF_ERROR(check_linear(context, input, weight, bias, out));
  static const uint8_t transposed[2] = {1, 0};
  const et_view weight_view = et_view_of(weight);
  *product = (et_matmul){.name = "linear",
                         .a = as_rows(input),
                         .b = et_view_permute(&weight_view, transposed),
                         .out = as_rows(out)};
  return ET_STATUS_OK;
}

et_status et_op_linear_prepare(et_prepare_context *context,
                               et_value *const *args, void **out_state) {
  (void)out_state;
  return et_matmul_prepare(context, args, plan);
}

et_status et_op_linear_out(et_kernel_context *context, et_value **args) {
  const et_tensor *bias = et_arg_tensor(args[2]);
  et_tensor *out = args[3]->u.as_tensor;
  et_matmul product;
  ET_RETURN_IF_ERROR(plan(context, args, &product));
  ET_RETURN_IF_ERROR(resize_out(context, args[0]->u.as_tensor,
                                args[1]->u.as_tensor->sizes[0], out));
  product.out = as_rows(out);
  if (bias != NULL) {
    const et_view bias_view = et_view_of(bias);
    et_view_expand(&bias_view, product.out.sizes, 2, &product.bias);
  }
  return et_matmul_run(context, &product);
}
