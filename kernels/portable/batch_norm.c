#include "kernels/portable/normalize.h"

#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"

static et_status check_batch_norm(et_kernel_context *context,
                                  const et_batch_norm *p) {
  static const char *const names[4] = {"weight", "bias", "running_mean",
                                       "running_var"};
  const et_tensor *const vectors[4] = {p->parameters.weight, p->parameters.bias,
                                       p->mean, p->variance};
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "batch_norm: input", p->input, 2, ET_MAX_RANK));
  ET_CHECK(context,
           et_scalar_type_is_floating(p->input->dtype) &&
               et_scalar_type_is_floating(p->saved_mean->dtype) &&
               et_scalar_type_is_floating(p->saved_rstd->dtype),
           "batch_norm: input or statistics are not floating-point; cast them "
           "to float32");
  for (size_t i = 0; i < 4; i++) {
    ET_RETURN_IF_ERROR(et_channels_check(context, "batch_norm", names[i],
                                         vectors[i], p->input->sizes[1]));
  }
  return et_shape_same_dtype(context, "batch_norm: out", p->input, p->out);
}

static et_status resize_outs(et_kernel_context *context,
                             const et_batch_norm *p) {
  const int32_t sizes[1] = {p->mean == NULL ? p->input->sizes[1] : 0};
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, p->out, p->input));
  ET_RETURN_IF_ERROR(et_tensor_resize(p->saved_mean, sizes, 1, context->error));
  return et_tensor_resize(p->saved_rstd, sizes, 1, context->error);
}

static void save(et_tensor *vector, int64_t channel, double value) {
  const size_t size = et_scalar_type_size((int32_t)vector->dtype);
  et_store_run(ET_COMPUTE_FLOAT64, &value, vector->dtype,
               (uint8_t *)vector->data + (size_t)channel * size, 0, 1);
}

static et_moments statistics(const et_batch_norm *p, const et_view *channel,
                             int64_t index) {
  if (p->mean == NULL) {
    const et_moments m = et_moments_of(channel, p->eps);
    save(p->saved_mean, index, m.mean);
    save(p->saved_rstd, index, m.rstd);
    return m;
  }
  const double variance = et_channels_element(p->variance, index, 1.0);
  return (et_moments){et_channels_element(p->mean, index, 0.0),
                      1.0 / sqrt(variance + p->eps)};
}

et_status et_batch_norm_apply(et_kernel_context *context,
                              const et_batch_norm *p) {
  ET_RETURN_IF_ERROR(check_batch_norm(context, p));
  ET_RETURN_IF_ERROR(resize_outs(context, p));
  const et_view in = et_view_of(p->input);
  const et_view out = et_view_of(p->out);
  for (int64_t c = 0; c < p->input->sizes[1]; c++) {
    const et_view from = et_view_select(&in, 1, c);
    const et_view to = et_view_select(&out, 1, c);
    et_normalize_channel(&from, &to, statistics(p, &from, c), &p->parameters,
                         c);
  }
  return ET_STATUS_OK;
}
