#include <string.h>

#include "kernels/engines/resample.h"
#include "kernels/engines/window.h"

static void resample(const et_resample *r) {
  const size_t size = et_scalar_type_size((int32_t)r->in.dtype);
  et_position o = {0};
  do {
    const et_position i = {o.n, o.c, 0, et_resample_nearest(&r->y, o.y),
                           et_resample_nearest(&r->x, o.x)};
    memcpy(et_window_at(&r->out, &o), et_window_at(&r->in, &i), size);
  } while (et_window_next(&r->out, &o));
}

et_status et_op_upsample_nearest2d_vec_out(et_kernel_context *context,
                                           et_value **args) {
  et_resample r;
  ET_RETURN_IF_ERROR(et_resample_plan(context, "upsample_nearest2d",
                                      args[0]->u.as_tensor, args[1], args[2],
                                      false, args[3]->u.as_tensor, &r));
  if (args[3]->u.as_tensor->numel > 0) {
    resample(&r);
  }
  return ET_STATUS_OK;
}
