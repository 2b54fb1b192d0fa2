#include <string.h>

#include "kernels/engines/resample.h"
#include "kernels/engines/window.h"

static void resample_plane(const et_resample *r, int64_t n, int64_t c) {
  const size_t size = et_scalar_type_size((int32_t)r->in.dtype);
  for (int64_t oy = 0; oy < r->y.out; oy++) {
    const int64_t iy = et_resample_nearest(&r->y, oy);
    for (int64_t ox = 0; ox < r->x.out; ox++) {
      const int64_t ix = et_resample_nearest(&r->x, ox);
      memcpy(et_window_at(&r->out, n, c, oy, ox),
             et_window_at(&r->in, n, c, iy, ix), size);
    }
  }
}

et_status et_op_upsample_nearest2d_vec_out(et_kernel_context *context,
                                           et_value **args) {
  et_resample r;
  ET_RETURN_IF_ERROR(et_resample_plan(context, "upsample_nearest2d",
                                      args[0]->u.as_tensor, args[1], args[2],
                                      false, args[3]->u.as_tensor, &r));
  for (int64_t n = 0; n < r.in.sizes[0]; n++) {
    for (int64_t c = 0; c < r.in.sizes[1]; c++) {
      resample_plane(&r, n, c);
    }
  }
  return ET_STATUS_OK;
}
