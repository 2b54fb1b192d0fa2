#include "kernels/engines/resample.h"

#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/window.h"

/* Computes positions in PyTorch's precision, because rounding decides which
 * element is nearest. */
static double in_precision_of(et_scalar_type dtype, double value) {
  return dtype == ET_SCALAR_TYPE_FLOAT64 ? value : (double)(float)value;
}

static et_status size_from_factor(et_kernel_context *context, const char *what,
                                  double factor, et_resample_axis *axis) {
  const double size = (double)axis->in * factor;
  ET_CHECK(context, size >= 1.0 && size <= (double)INT32_MAX,
           "%s: the scaled size of %lld is out of range", what,
           (long long)axis->in);
  axis->out = (int64_t)size;
  axis->scale = 1.0 / factor;
  return ET_STATUS_OK;
}

static et_status plan_sizes(et_kernel_context *context, const char *what,
                            const et_value *output_size,
                            const et_value *scale_factors,
                            et_resample_axis axes[2]) {
  const bool by_size = !et_arg_is_none(output_size);
  ET_CHECK(context, by_size != !et_arg_is_none(scale_factors),
           "%s: pass exactly one of output_size and scale_factors", what);
  int64_t sizes[2] = {0, 0};
  if (by_size) {
    ET_RETURN_IF_ERROR(
        et_arg_ints(context, what, output_size, 2, 1, INT32_MAX, NULL, sizes));
  }
  ET_CHECK(context, by_size || scale_factors->u.as_packed.size == 2,
           "%s: scale_factors has the wrong length; pass two", what);
  for (size_t i = 0; i < 2; i++) {
    axes[i].out = sizes[i];
    axes[i].scale = (double)axes[i].in / (double)sizes[i];
    if (!by_size) {
      ET_RETURN_IF_ERROR(size_from_factor(
          context, what, et_double_list_at(scale_factors, i), &axes[i]));
    }
  }
  return ET_STATUS_OK;
}

static void align(et_resample_axis *axis) {
  axis->scale =
      axis->out > 1 ? (double)(axis->in - 1) / (double)(axis->out - 1) : 0.0;
}

et_status et_resample_plan(et_kernel_context *context, const char *what,
                           const et_tensor *input, const et_value *output_size,
                           const et_value *scale_factors, bool align_corners,
                           et_tensor *out, et_resample *resample) {
  ET_RETURN_IF_ERROR(et_shape_rank(context, what, input, 4, 4));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, input, out));
  et_resample_axis axes[2] = {{input->sizes[2], 0, 0.0, align_corners},
                              {input->sizes[3], 0, 0.0, align_corners}};
  ET_CHECK(context, axes[0].in > 0 && axes[1].in > 0, "%s: input is empty",
           what);
  ET_RETURN_IF_ERROR(
      plan_sizes(context, what, output_size, scale_factors, axes));
  for (size_t i = 0; i < 2; i++) {
    if (align_corners) {
      align(&axes[i]);
    }
    axes[i].scale = in_precision_of(input->dtype, axes[i].scale);
  }
  const int32_t sizes[4] = {input->sizes[0], input->sizes[1],
                            (int32_t)axes[0].out, (int32_t)axes[1].out};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 4, context->error));
  *resample = (et_resample){et_window_view(input, 2), et_window_view(out, 2),
                            axes[0], axes[1]};
  return ET_STATUS_OK;
}

int64_t et_resample_nearest(const et_resample_axis *axis, int64_t o) {
  const int64_t i = (int64_t)floor((double)(float)((double)o * axis->scale));
  return i < axis->in ? i : axis->in - 1;
}

void et_resample_linear(const et_resample_axis *axis, int64_t o, int64_t *low,
                        int64_t *high, double *weight) {
  double at = axis->align_corners ? (double)o * axis->scale
                                  : ((double)o + 0.5) * axis->scale - 0.5;
  at = at < 0.0 ? 0.0 : at;
  const int64_t floored = (int64_t)at;
  *low = floored < axis->in ? floored : axis->in - 1;
  *high = *low + 1 < axis->in ? *low + 1 : *low;
  *weight = at - (double)*low;
}
