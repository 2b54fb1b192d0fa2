#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "executorch/kernels/view.h"
#include "executorch/number_text.h"
#include "kernels/portable/draw.h"

/* Random state, drop probability and scale of kept elements. */
typedef struct lottery {
  et_random *random; /* NULL: keep all elements */
  double loss;
  double factor;
} lottery;

static void drop(const lottery *l, const et_view *in, const et_view *out,
                 const et_view *mask, size_t i) {
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)in->dtype);
  const bool kept =
      l->random == NULL ||
      et_draw_uniform(l->random, ET_SCALAR_TYPE_FLOAT64) >= l->loss;
  double value = 0.0;
  et_load_run(ET_COMPUTE_FLOAT64, in->dtype,
              in->data + et_view_offset(in, i) * size, 0, 1, &value);
  value = kept ? value * l->factor : 0.0;
  et_store_run(ET_COMPUTE_FLOAT64, &value, out->dtype,
               out->data + et_view_offset(out, i) * size, 0, 1);
  mask->data[et_view_offset(mask, i)] = kept;
}

/* If train is None, it is true. If it is false, all elements are kept. */
et_status et_op_native_dropout_out(et_kernel_context *context,
                                   et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  const double p = args[1]->u.as_double;
  const bool train = et_arg_is_none(args[2]) || args[2]->u.as_bool;
  et_tensor *out = args[3]->u.as_tensor;
  et_tensor *mask = args[4]->u.as_tensor;
  lottery l = {NULL, p, 1.0};
  ET_CHECK(context, p >= 0.0 && p <= 1.0,
           "native_dropout: p = %s is not in [0, 1]", ET_NUMBER_TEXT(p));
  ET_RETURN_IF_ERROR(
      et_shape_supports(context, "native_dropout",
                        et_scalar_type_is_floating(input->dtype) &&
                            mask->dtype == ET_SCALAR_TYPE_BOOL,
                        input, out));
  ET_RETURN_IF_ERROR(
      et_shape_same_dtype(context, "native_dropout", input, out));
  if (train) {
    ET_RETURN_IF_ERROR(et_draw_check(context, "native_dropout"));
    l = (lottery){context->random, p, p == 1.0 ? 0.0 : 1.0 / (1.0 - p)};
  }
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, input));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, mask, input));
  const et_view views[3] = {et_view_of(input), et_view_of(out),
                            et_view_of(mask)};
  for (size_t i = 0; i < input->numel; i++) {
    drop(&l, &views[0], &views[1], &views[2], i);
  }
  return ET_STATUS_OK;
}
