/* Attributes of pooling. */
#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/window.h"

/* Number of spatial axes. For two spatial dimensions, the first axis has size
 * 1. */
#define DIMS 3

/* Computes the number of windows along one axis. With ceil_mode, the last
 * window may be partial, but must start inside the input or its left
 * padding. */
static et_status plan_out(et_kernel_context *context,
                          const et_window_arguments *a, et_conv_axis *axis) {
  const int64_t reach = axis->dilation * (axis->kernel - 1) + 1;
  const int64_t span = axis->in + 2 * axis->padding - reach;
  ET_CHECK(
      context, axis->padding <= axis->kernel / 2,
      "%s: padding %lld is more than half the kernel %lld; pad the input first",
      a->name, (long long)axis->padding, (long long)axis->kernel);
  const int64_t extra = a->ceil_mode ? axis->stride - 1 : 0;
  ET_CHECK(context, axis->in >= 0 && span + extra >= 0,
           "%s: a window of size %lld exceeds an input of size %lld; pass a "
           "larger input",
           a->name, (long long)reach, (long long)axis->in);
  axis->out = (span + extra) / axis->stride + 1;
  if (a->ceil_mode &&
      (axis->out - 1) * axis->stride >= axis->in + axis->padding) {
    axis->out--;
  }
  ET_CHECK(context, axis->out >= 1 && axis->out <= INT32_MAX,
           "%s: out would have %lld elements along an axis", a->name,
           (long long)axis->out);
  return ET_STATUS_OK;
}

static et_status read_attributes(et_kernel_context *context,
                                 const et_window_arguments *a,
                                 et_conv_axis axes[DIMS]) {
  const size_t dims = a->dims;
  int64_t kernel[DIMS];
  int64_t stride[DIMS];
  int64_t padding[DIMS];
  int64_t dilation[DIMS] = {1, 1, 1};
  ET_RETURN_IF_ERROR(et_arg_ints(context, "pooling: kernel_size",
                                 a->kernel_size, dims, 1, INT32_MAX, NULL,
                                 kernel));
  const bool own_stride = a->stride->u.as_list.size > 0;
  ET_RETURN_IF_ERROR(et_arg_ints(context, "pooling: stride",
                                 own_stride ? a->stride : a->kernel_size, dims,
                                 1, INT32_MAX, NULL, stride));
  ET_RETURN_IF_ERROR(et_arg_ints(context, "pooling: padding", a->padding, dims,
                                 0, INT32_MAX, NULL, padding));
  if (a->dilation != NULL) {
    ET_RETURN_IF_ERROR(et_arg_ints(context, "pooling: dilation", a->dilation,
                                   dims, 1, INT32_MAX, NULL, dilation));
  }
  axes[0] = (et_conv_axis){1, 1, 1, 1, 0, 1};
  for (size_t i = 0; i < dims; i++) {
    axes[DIMS - dims + i] =
        (et_conv_axis){0, 0, kernel[i], stride[i], padding[i], dilation[i]};
  }
  return ET_STATUS_OK;
}

/* Resizes `out`, and sets both views of the window. */
static et_status resize_out(et_kernel_context *context, size_t dims,
                            const et_conv_axis axes[DIMS],
                            const et_tensor *self, et_tensor *out,
                            et_window *window) {
  int32_t sizes[DIMS + 2] = {0};
  const size_t leading = self->rank - dims;
  for (size_t d = 0; d < leading; d++) {
    sizes[d] = self->sizes[d];
  }
  for (size_t i = 0; i < dims; i++) {
    sizes[leading + i] = (int32_t)axes[DIMS - dims + i].out;
  }
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, self->rank, context->error));
  *window = (et_window){et_window_view(self, dims), et_window_view(out, dims),
                        axes[0], axes[1], axes[2]};
  return ET_STATUS_OK;
}

static et_status check_tensors(et_kernel_context *context, const char *name,
                               size_t dims, const et_tensor *self,
                               const et_tensor *out) {
  ET_RETURN_IF_ERROR(et_shape_rank(context, name, self, dims + 1, dims + 2));
  return et_shape_same_dtype(context, name, self, out);
}

et_status et_window_plan(et_kernel_context *context,
                         const et_window_arguments *arguments,
                         const et_tensor *self, et_tensor *out,
                         et_window *window) {
  const size_t dims = arguments->dims;
  et_conv_axis axes[DIMS];
  ET_RETURN_IF_ERROR(check_tensors(context, arguments->name, dims, self, out));
  ET_RETURN_IF_ERROR(read_attributes(context, arguments, axes));
  for (size_t i = 0; i < dims; i++) {
    et_conv_axis *axis = &axes[DIMS - dims + i];
    axis->in = self->sizes[self->rank - dims + i];
    ET_RETURN_IF_ERROR(plan_out(context, arguments, axis));
  }
  return resize_out(context, dims, axes, self, out, window);
}

et_status et_window_plan_adaptive(et_kernel_context *context, const char *name,
                                  size_t dims, const et_tensor *self,
                                  const et_value *output_size, et_tensor *out,
                                  et_window *window) {
  et_conv_axis axes[DIMS] = {{1, 1, 1, 1, 0, 1}};
  int64_t sizes[DIMS];
  ET_RETURN_IF_ERROR(check_tensors(context, name, dims, self, out));
  ET_RETURN_IF_ERROR(
      et_arg_ints(context, name, output_size, dims, 0, INT32_MAX, NULL, sizes));
  for (size_t i = 0; i < dims; i++) {
    const size_t d = self->rank - dims + i;
    ET_CHECK(context, self->sizes[d] > 0,
             "%s: dimension %zu of the input is empty", name, d);
    axes[DIMS - dims + i] =
        (et_conv_axis){.in = self->sizes[d], .out = sizes[i]};
  }
  return resize_out(context, dims, axes, self, out, window);
}
