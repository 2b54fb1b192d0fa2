#include "kernels/portable/draw.h"

#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "executorch/kernels/view.h"

et_status et_draw_check(et_kernel_context *context, const char *what) {
  ET_CHECK(context, context->random != NULL,
           "%s: draws random numbers; set et_method_options.random", what);
  return ET_STATUS_OK;
}

/* Returns the number of significand bits. */
static int bits_of(et_scalar_type dtype) {
  switch (dtype) {
    case ET_SCALAR_TYPE_FLOAT64:
      return 53;
    case ET_SCALAR_TYPE_FLOAT16:
      return 11;
    case ET_SCALAR_TYPE_BFLOAT16:
      return 8;
    default:
      return 24;
  }
}

double et_draw_uniform(et_random *random, et_scalar_type dtype) {
  const int bits = bits_of(dtype);
  return ldexp((double)(et_random_next(random) >> (64 - bits)), -bits);
}

/* Box-Muller transform. 1 - u is never 0. */
double et_draw_normal(et_random *random, et_scalar_type dtype) {
  const double turn = 6.283185307179586;
  const double u = et_draw_uniform(random, ET_SCALAR_TYPE_FLOAT64);
  const double v = et_draw_uniform(random, ET_SCALAR_TYPE_FLOAT64);
  (void)dtype;
  return sqrt(-2.0 * log(1.0 - u)) * cos(turn * v);
}

et_status et_draw_all(et_kernel_context *context, const char *what,
                      et_draw_fn draw, et_value *const *args) {
  et_tensor *out = args[1]->u.as_tensor;
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)out->dtype);
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  ET_RETURN_IF_ERROR(et_draw_check(context, what));
  ET_RETURN_IF_ERROR(et_shape_supports(
      context, what, et_scalar_type_is_floating(out->dtype), out, out));
  ET_RETURN_IF_ERROR(et_arg_sizes(context, what, args[0], sizes, &rank));
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, rank, context->error));
  const et_view view = et_view_of(out);
  for (size_t i = 0; i < out->numel; i++) {
    const double drawn = draw(context->random, out->dtype);
    et_store_run(ET_COMPUTE_FLOAT64, &drawn, out->dtype,
                 view.data + et_view_offset(&view, i) * size, 0, 1);
  }
  return ET_STATUS_OK;
}
