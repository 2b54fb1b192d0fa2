#include <math.h>

#include "executorch/kernels/args.h"
#include "ops/kernels.h"

et_status demo_soft_step_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const float slope = (float)args[1]->u.as_double;
  et_tensor *out = args[2]->u.as_tensor;
  ET_CHECK(context, slope > 0,
           "soft_step: slope is not positive; pass a positive slope");
  ET_RETURN_IF_ERROR(
      et_tensor_resize(out, self->sizes, self->rank, context->error));
  const float *x = (const float *)self->data;
  float *y = (float *)out->data;
  for (size_t i = 0; i < out->numel; ++i) {
    y[i] = x[i] / (slope + fabsf(x[i]));
  }
  return ET_STATUS_OK;
}
