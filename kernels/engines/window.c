#include "kernels/engines/window.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"

et_view et_window_view(const et_tensor *tensor) {
  et_view view = et_view_of(tensor);
  if (view.rank == 4) {
    return view;
  }
  et_view out = {view.data, view.dtype, 4, {1}, {0}};
  for (size_t d = 0; d < 3; d++) {
    out.sizes[d + 1] = view.sizes[d];
    out.strides[d + 1] = view.strides[d];
  }
  return out;
}

uint8_t *et_window_at(const et_view *view, int64_t n, int64_t c, int64_t y,
                      int64_t x) {
  const int64_t element = n * view->strides[0] + c * view->strides[1] +
                          y * view->strides[2] + x * view->strides[3];
  return view->data +
         element * (int64_t)et_scalar_type_size((int32_t)view->dtype);
}

/* Windows along one axis. With ceil_mode the last may be cut, but must begin
 * inside the input or its left padding. */
static et_status plan_out(et_kernel_context *context,
                          const et_window_arguments *a, et_conv_axis *axis) {
  const int64_t reach = axis->dilation * (axis->kernel - 1) + 1;
  const int64_t span = axis->in + 2 * axis->padding - reach;
  ET_CHECK(context, axis->padding <= axis->kernel / 2,
           "%s: padding %lld is more than half the kernel %lld", a->name,
           (long long)axis->padding, (long long)axis->kernel);
  const int64_t extra = a->ceil_mode ? axis->stride - 1 : 0;
  ET_CHECK(context, axis->in >= 0 && span + extra >= 0,
           "%s: a window of %lld does not fit an input of %lld", a->name,
           (long long)reach, (long long)axis->in);
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
                                 et_conv_axis axes[2]) {
  int64_t kernel[2];
  int64_t stride[2];
  int64_t padding[2];
  int64_t dilation[2] = {1, 1};
  ET_RETURN_IF_ERROR(et_arg_ints(context, "pooling: kernel_size",
                                 a->kernel_size, 2, 1, INT32_MAX, NULL,
                                 kernel));
  const bool own_stride = a->stride->u.as_list.size > 0;
  ET_RETURN_IF_ERROR(et_arg_ints(context, "pooling: stride",
                                 own_stride ? a->stride : a->kernel_size, 2, 1,
                                 INT32_MAX, NULL, stride));
  ET_RETURN_IF_ERROR(et_arg_ints(context, "pooling: padding", a->padding, 2, 0,
                                 INT32_MAX, NULL, padding));
  if (a->dilation != NULL) {
    ET_RETURN_IF_ERROR(et_arg_ints(context, "pooling: dilation", a->dilation, 2,
                                   1, INT32_MAX, NULL, dilation));
  }
  for (size_t i = 0; i < 2; i++) {
    axes[i] =
        (et_conv_axis){0, 0, kernel[i], stride[i], padding[i], dilation[i]};
  }
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, const et_window *window,
                            const et_tensor *self, et_tensor *out) {
  int32_t sizes[4] = {0};
  const size_t leading = (size_t)self->rank - 2;
  for (size_t d = 0; d < leading; d++) {
    sizes[d] = self->sizes[d];
  }
  sizes[leading] = (int32_t)window->y.out;
  sizes[leading + 1] = (int32_t)window->x.out;
  return et_tensor_resize(out, sizes, self->rank, context->error);
}

et_status et_window_plan(et_kernel_context *context,
                         const et_window_arguments *arguments,
                         const et_tensor *self, et_tensor *out,
                         et_window *window) {
  et_conv_axis axes[2];
  ET_RETURN_IF_ERROR(et_shape_rank(context, arguments->name, self, 3, 4));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, arguments->name, self, out));
  ET_RETURN_IF_ERROR(read_attributes(context, arguments, axes));
  window->in = et_window_view(self);
  axes[0].in = window->in.sizes[2];
  axes[1].in = window->in.sizes[3];
  ET_RETURN_IF_ERROR(plan_out(context, arguments, &axes[0]));
  ET_RETURN_IF_ERROR(plan_out(context, arguments, &axes[1]));
  window->y = axes[0];
  window->x = axes[1];
  ET_RETURN_IF_ERROR(resize_out(context, window, self, out));
  window->out = et_window_view(out);
  return ET_STATUS_OK;
}
