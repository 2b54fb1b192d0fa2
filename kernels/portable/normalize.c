#include "kernels/portable/normalize.h"

#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/reduce.h"

et_moments et_moments_of(const et_view *view, double eps) {
  const et_loop elements = et_loop_over(view, 1);
  double count = 1.0;
  for (size_t d = 0; d < view->rank; d++) {
    count *= (double)view->sizes[d];
  }
  const double mean =
      et_sum_elements(elements, view->dtype, 0.0, false) / count;
  const double variance =
      et_sum_elements(elements, view->dtype, mean, true) / count;
  return (et_moments){mean, 1.0 / sqrt(variance + eps)};
}

et_status et_channels_check(et_kernel_context *context, const char *what,
                            const char *name, const et_tensor *vector,
                            int64_t channels) {
  ET_CHECK(
      context,
      vector == NULL || (vector->rank == 1 && vector->sizes[0] == channels &&
                         et_scalar_type_is_floating(vector->dtype)),
      "%s: %s must be floating with %lld elements", what, name,
      (long long)channels);
  return ET_STATUS_OK;
}

double et_channels_element(const et_tensor *vector, int64_t index,
                           double absent) {
  double value = absent;
  if (vector != NULL) {
    const int64_t at = index * vector->strides[0] *
                       (int64_t)et_scalar_type_size((int32_t)vector->dtype);
    et_load_run(ET_COMPUTE_FLOAT64, vector->dtype,
                (const uint8_t *)vector->data + at, 0, 1, &value);
  }
  return value;
}

static void transform_run(double scale, double shift, et_scalar_type in_dtype,
                          et_scalar_type out_dtype, const et_loop *loop) {
  for (size_t start = 0; start < loop->count; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t rest = loop->count - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_load_run(ET_COMPUTE_FLOAT64, in_dtype,
                loop->at[1] + (ptrdiff_t)start * loop->strides[1],
                loop->strides[1], n, &chunk);
    for (size_t i = 0; i < n; i++) {
      chunk.float64[i] = chunk.float64[i] * scale + shift;
    }
    et_store_run(ET_COMPUTE_FLOAT64, &chunk, out_dtype,
                 loop->at[0] + (ptrdiff_t)start * loop->strides[0],
                 loop->strides[0], n);
  }
}

/* Combines mean, rstd, weight and bias into one scale and one shift. */
void et_normalize_channel(const et_view *in, const et_view *out, et_moments m,
                          const et_channels *parameters, int64_t channel) {
  const double scale =
      m.rstd * et_channels_element(parameters->weight, channel, 1.0);
  const double shift =
      et_channels_element(parameters->bias, channel, 0.0) - m.mean * scale;
  const et_view views[2] = {*out, *in};
  for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
       et_loop_next(&loop)) {
    transform_run(scale, shift, in->dtype, out->dtype, &loop);
  }
}
