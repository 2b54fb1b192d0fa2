#include "kernels/portable/convolution.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"

/* Attributes of both spatial dimensions; those of a one-dimensional convolution
 * are the second, the first being neutral. */
typedef struct attributes {
  int64_t stride[2];
  int64_t padding[2];
  int64_t dilation[2];
  int64_t output_padding[2];
  int64_t groups;
  bool transposed;
} attributes;

static et_status read_attributes(et_kernel_context *context,
                                 et_value *const *args, size_t spatial,
                                 attributes *a) {
  const size_t at = 2 - spatial;
  *a = (attributes){
      {1, 1}, {0, 0}, {1, 1}, {0, 0}, args[8]->u.as_int, args[6]->u.as_bool};
  ET_RETURN_IF_ERROR(et_arg_ints(context, "convolution: stride", args[3],
                                 spatial, 1, INT32_MAX, NULL, &a->stride[at]));
  ET_RETURN_IF_ERROR(et_arg_ints(context, "convolution: padding", args[4],
                                 spatial, 0, INT32_MAX, NULL, &a->padding[at]));
  ET_RETURN_IF_ERROR(et_arg_ints(context, "convolution: dilation", args[5],
                                 spatial, 1, INT32_MAX, NULL,
                                 &a->dilation[at]));
  const int64_t none = 0;
  return et_arg_ints(context, "convolution: output_padding", args[7], spatial,
                     0, INT32_MAX, &none, &a->output_padding[at]);
}

static et_status check_dtypes(et_kernel_context *context,
                              const et_tensor *input, const et_tensor *weight,
                              const et_tensor *bias, const et_tensor *out) {
  ET_CHECK(context, et_scalar_type_is_floating(input->dtype),
           "convolution: dtype %s is not supported",
           et_scalar_type_name((int32_t)input->dtype));
  ET_RETURN_IF_ERROR(
      et_shape_same_dtype(context, "convolution: weight", weight, input));
  if (bias != NULL) {
    ET_RETURN_IF_ERROR(
        et_shape_same_dtype(context, "convolution: bias", bias, input));
  }
  return et_shape_same_dtype(context, "convolution: out", out, input);
}

/* Checks channels and groups; sets the number of out channels. */
static et_status check_channels(et_kernel_context *context, const attributes *a,
                                const et_tensor *input, const et_tensor *weight,
                                const et_tensor *bias, int64_t *out_channels) {
  const int64_t channels = input->sizes[1];
  const int64_t outer = weight->sizes[0];
  ET_CHECK(context,
           a->groups >= 1 && a->groups <= INT32_MAX &&
               channels % a->groups == 0 && outer % a->groups == 0,
           "convolution: groups = %lld does not divide %lld and %lld channels",
           (long long)a->groups, (long long)channels, (long long)outer);
  const int64_t expected = a->transposed ? outer : weight->sizes[1] * a->groups;
  ET_CHECK(context, channels == expected,
           "convolution: input has %lld channels, the weight needs %lld",
           (long long)channels, (long long)expected);
  *out_channels = a->transposed ? weight->sizes[1] * a->groups : outer;
  ET_CHECK(context,
           *out_channels <= INT32_MAX &&
               (bias == NULL ||
                (bias->rank == 1 && bias->sizes[0] == *out_channels)),
           "convolution: bias must have one dimension of %lld elements",
           (long long)*out_channels);
  return ET_STATUS_OK;
}

/* Sizes fit 32 bits, so the products here fit 64. */
static et_status plan_axis(et_kernel_context *context, const attributes *a,
                           size_t i, int64_t in, int64_t kernel,
                           et_conv_axis *axis) {
  *axis = (et_conv_axis){
      in, 0, kernel, a->stride[i], a->padding[i], a->dilation[i]};
  ET_CHECK(context, kernel >= 1, "convolution: the kernel is empty");
  const int64_t reach = axis->dilation * (kernel - 1) + 1;
  axis->out = a->transposed ? (in - 1) * axis->stride - 2 * axis->padding +
                                  reach + a->output_padding[i]
                            : (in + 2 * axis->padding - reach);
  ET_CHECK(context, axis->out >= 0,
           "convolution: a kernel that reaches over %lld does not fit an input "
           "of %lld with padding %lld",
           (long long)reach, (long long)in, (long long)axis->padding);
  axis->out = a->transposed ? axis->out : axis->out / axis->stride + 1;
  ET_CHECK(context, axis->out <= INT32_MAX, "convolution: out is too large");
  return ET_STATUS_OK;
}

/* [N, C, L] as [N, C, 1, L]. */
static et_view with_two_spatial(const et_tensor *tensor) {
  et_view view = et_view_of(tensor);
  if (view.rank == 3) {
    view.sizes[3] = view.sizes[2];
    view.strides[3] = view.strides[2];
    view.sizes[2] = 1;
    view.strides[2] = 0;
    view.rank = 4;
  }
  return view;
}

static et_status plan_axes(et_kernel_context *context, const attributes *a,
                           et_conv *conv) {
  ET_RETURN_IF_ERROR(plan_axis(context, a, 0, conv->input.sizes[2],
                               conv->weight.sizes[2], &conv->y));
  return plan_axis(context, a, 1, conv->input.sizes[3], conv->weight.sizes[3],
                   &conv->x);
}

static et_status resize_out(et_kernel_context *context, const et_conv *conv,
                            size_t rank, int64_t out_channels, et_tensor *out) {
  int32_t sizes[4] = {conv->input.sizes[0], (int32_t)out_channels,
                      (int32_t)conv->y.out, (int32_t)conv->x.out};
  if (rank == 3) {
    sizes[2] = sizes[3];
  }
  return et_tensor_resize(out, sizes, rank, context->error);
}

/* All but out, whose channels it finds. */
static et_status plan_operands(et_kernel_context *context,
                               et_value *const *args, int64_t *out_channels,
                               et_conv *conv) {
  const et_tensor *input = args[0]->u.as_tensor;
  const et_tensor *weight = args[1]->u.as_tensor;
  const et_tensor *bias = et_arg_tensor(args[2]);
  et_tensor *out = args[9]->u.as_tensor;
  attributes a;
  ET_RETURN_IF_ERROR(et_shape_rank(context, "convolution: input", input, 3, 4));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "convolution: weight", weight,
                                   input->rank, input->rank));
  ET_RETURN_IF_ERROR(check_dtypes(context, input, weight, bias, out));
  ET_RETURN_IF_ERROR(
      read_attributes(context, args, (size_t)input->rank - 2, &a));
  ET_RETURN_IF_ERROR(
      check_channels(context, &a, input, weight, bias, out_channels));
  *conv = (et_conv){.input = with_two_spatial(input),
                    .weight = with_two_spatial(weight),
                    .groups = a.groups,
                    .transposed = a.transposed};
  if (bias != NULL) {
    conv->bias = et_view_of(bias);
  }
  ET_RETURN_IF_ERROR(plan_axes(context, &a, conv));
  return et_shape_rank(context, "convolution: out", out, input->rank,
                       input->rank);
}

et_status et_convolution_plan(et_kernel_context *context, et_value *const *args,
                              et_conv *conv) {
  int64_t out_channels = 0;
  ET_RETURN_IF_ERROR(plan_operands(context, args, &out_channels, conv));
  conv->out = with_two_spatial(args[9]->u.as_tensor);
  return ET_STATUS_OK;
}

et_status et_convolution_start(et_kernel_context *context,
                               et_value *const *args, et_conv *conv) {
  et_tensor *out = args[9]->u.as_tensor;
  int64_t out_channels = 0;
  ET_RETURN_IF_ERROR(plan_operands(context, args, &out_channels, conv));
  ET_RETURN_IF_ERROR(
      resize_out(context, conv, args[0]->u.as_tensor->rank, out_channels, out));
  conv->out = with_two_spatial(out);
  return ET_STATUS_OK;
}
