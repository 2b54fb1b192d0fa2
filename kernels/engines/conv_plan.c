#include "kernels/engines/conv.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"

/* Number of spatial axes. If operands have fewer, the first axes have size
 * 1. */
#define DIMS 3

typedef struct attributes {
  int64_t stride[DIMS];
  int64_t padding[DIMS];
  int64_t dilation[DIMS];
  int64_t output_padding[DIMS];
  int64_t groups;
  bool transposed;
} attributes;

static et_status read_attributes(et_kernel_context *context,
                                 const et_conv_arguments *arguments,
                                 size_t spatial, attributes *a) {
  const size_t at = DIMS - spatial;
  *a = (attributes){{1, 1, 1}, {0, 0, 0},         {1, 1, 1},
                    {0, 0, 0}, arguments->groups, arguments->transposed};
  ET_RETURN_IF_ERROR(et_arg_ints(context, "convolution: stride",
                                 arguments->stride, spatial, 1, INT32_MAX, NULL,
                                 &a->stride[at]));
  ET_RETURN_IF_ERROR(et_arg_ints(context, "convolution: padding",
                                 arguments->padding, spatial, 0, INT32_MAX,
                                 NULL, &a->padding[at]));
  ET_RETURN_IF_ERROR(et_arg_ints(context, "convolution: dilation",
                                 arguments->dilation, spatial, 1, INT32_MAX,
                                 NULL, &a->dilation[at]));
  const int64_t none = 0;
  return arguments->output_padding == NULL
             ? ET_STATUS_OK
             : et_arg_ints(context, "convolution: output_padding",
                           arguments->output_padding, spatial, 0, INT32_MAX,
                           &none, &a->output_padding[at]);
}

/* Checks channels and groups, and computes the number of output channels. */
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

/* Sizes fit in 32 bits, so these products fit in 64 bits. */
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
           "convolution: a dilated kernel of size %lld exceeds an input of "
           "size %lld with padding %lld; pass a larger input",
           (long long)reach, (long long)in, (long long)axis->padding);
  axis->out = a->transposed ? axis->out : axis->out / axis->stride + 1;
  ET_CHECK(context, axis->out <= INT32_MAX, "convolution: out is too large");
  return ET_STATUS_OK;
}

/* Views [N, C, L] as [N, C, 1, 1, L]. */
static et_view with_all_dims(const et_tensor *tensor) {
  const et_view view = et_view_of(tensor);
  const size_t missing = DIMS + 2 - view.rank;
  et_view out = {view.data, view.dtype, DIMS + 2, {1, 1, 1, 1, 1}, {0}};
  for (size_t d = 0; d < view.rank; d++) {
    const size_t to = d < 2 ? d : d + missing;
    out.sizes[to] = view.sizes[d];
    out.strides[to] = view.strides[d];
  }
  return out;
}

static et_status plan_axes(et_kernel_context *context, const attributes *a,
                           et_conv *conv) {
  et_conv_axis *axes[DIMS] = {&conv->z, &conv->y, &conv->x};
  for (size_t i = 0; i < DIMS; i++) {
    ET_RETURN_IF_ERROR(plan_axis(context, a, i, conv->input.sizes[2 + i],
                                 conv->weight.sizes[2 + i], axes[i]));
  }
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, const et_conv *conv,
                            size_t rank, int64_t out_channels, et_tensor *out) {
  const int32_t spatial[DIMS] = {(int32_t)conv->z.out, (int32_t)conv->y.out,
                                 (int32_t)conv->x.out};
  int32_t sizes[DIMS + 2] = {conv->input.sizes[0], (int32_t)out_channels};
  for (size_t d = 2; d < rank; d++) {
    sizes[d] = spatial[DIMS + d - rank];
  }
  return et_tensor_resize(out, sizes, rank, context->error);
}

/* Sets all fields except `out`, and computes its number of channels. */
static et_status plan_operands(et_kernel_context *context,
                               const et_conv_arguments *arguments,
                               const et_tensor *out, int64_t *out_channels,
                               et_conv *conv) {
  const et_tensor *input = arguments->input;
  const et_tensor *weight = arguments->weight;
  attributes a;
  ET_RETURN_IF_ERROR(et_shape_rank(context, "convolution: input", input, 3, 5));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "convolution: weight", weight,
                                   input->rank, input->rank));
  ET_RETURN_IF_ERROR(
      read_attributes(context, arguments, (size_t)input->rank - 2, &a));
  ET_RETURN_IF_ERROR(check_channels(context, &a, input, weight, arguments->bias,
                                    out_channels));
  *conv = (et_conv){.input = with_all_dims(input),
                    .weight = with_all_dims(weight),
                    .groups = a.groups,
                    .transposed = a.transposed};
  if (arguments->bias != NULL) {
    conv->bias = et_view_of(arguments->bias);
  }
  ET_RETURN_IF_ERROR(plan_axes(context, &a, conv));
  return et_shape_rank(context, "convolution: out", out, input->rank,
                       input->rank);
}

et_status et_conv_plan(et_kernel_context *context,
                       const et_conv_arguments *arguments, const et_tensor *out,
                       et_conv *conv) {
  int64_t out_channels = 0;
  ET_RETURN_IF_ERROR(
      plan_operands(context, arguments, out, &out_channels, conv));
  conv->out = with_all_dims(out);
  return ET_STATUS_OK;
}

et_status et_conv_start(et_kernel_context *context,
                        const et_conv_arguments *arguments, et_tensor *out,
                        et_conv *conv) {
  int64_t out_channels = 0;
  ET_RETURN_IF_ERROR(
      plan_operands(context, arguments, out, &out_channels, conv));
  ET_RETURN_IF_ERROR(
      resize_out(context, conv, arguments->input->rank, out_channels, out));
  conv->out = with_all_dims(out);
  return ET_STATUS_OK;
}
