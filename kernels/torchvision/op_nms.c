#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "executorch/kernels/view.h"
#include "kernels/portable/lines.h"
#include "runtime/core/arithmetic.h"

/* x1, y1, x2, y2 */
typedef struct box {
  double side[4];
} box;

/* Rounds intermediate results to the dtype, as PyTorch does, because they
 * decide which overlap is larger. */
static double rounded(et_scalar_type dtype, double value) {
  return dtype == ET_SCALAR_TYPE_FLOAT64 ? value : (double)(float)value;
}

static box box_at(const et_view *boxes, int64_t i) {
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)boxes->dtype);
  box b;
  et_load_run(ET_COMPUTE_FLOAT64, boxes->dtype,
              boxes->data + (ptrdiff_t)(i * boxes->strides[0]) * size,
              (ptrdiff_t)boxes->strides[1] * size, 4, b.side);
  return b;
}

static double area(et_scalar_type dtype, const box *b) {
  return rounded(dtype, rounded(dtype, b->side[2] - b->side[0]) *
                            rounded(dtype, b->side[3] - b->side[1]));
}

/* Intersection over union. */
static double overlap(et_scalar_type dtype, const box *a, const box *b) {
  const double width = et_max_f64(0.0, et_min_f64(a->side[2], b->side[2]) -
                                           et_max_f64(a->side[0], b->side[0]));
  const double height = et_max_f64(0.0, et_min_f64(a->side[3], b->side[3]) -
                                            et_max_f64(a->side[1], b->side[1]));
  const double both =
      rounded(dtype, rounded(dtype, width) * rounded(dtype, height));
  const double sum = rounded(dtype, area(dtype, a) + area(dtype, b));
  return rounded(dtype, both / rounded(dtype, sum - both));
}

static bool is_covered(const et_view *boxes, const int64_t *kept, size_t count,
                       int64_t candidate, double threshold) {
  const box b = box_at(boxes, candidate);
  for (size_t i = 0; i < count; i++) {
    const box other = box_at(boxes, kept[i]);
    if (overlap(boxes->dtype, &other, &b) > threshold) {
      return true;
    }
  }
  return false;
}

/* Moves the boxes that no better box suppresses to the front of `order`, and
 * returns their number. `order` is sorted by score. */
static size_t keep(const et_view *boxes, int64_t *order, size_t count,
                   double threshold) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!is_covered(boxes, order, kept, order[i], threshold)) {
      order[kept++] = order[i];
    }
  }
  return kept;
}

et_status et_op_nms_out(et_kernel_context *context, et_value **args) {
  const et_tensor *boxes = args[0]->u.as_tensor;
  const et_tensor *scores = args[1]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_rank(context, "nms: dets", boxes, 2, 2));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "nms: scores", scores, 1, 1));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "nms", boxes, scores));
  ET_CHECK(context,
           et_scalar_type_is_floating(boxes->dtype) && boxes->sizes[1] == 4 &&
               boxes->sizes[0] == scores->sizes[0],
           "nms: boxes are [%d, %d] of %s, scores are [%d]; pass "
           "floating-point [N, 4] and [N]",
           (int)boxes->sizes[0], (int)boxes->sizes[1],
           et_scalar_type_name((int32_t)boxes->dtype), (int)scores->sizes[0]);
  ET_RETURN_IF_ERROR(et_order_first(context, "nms", scores, 0, scores->sizes[0],
                                    true, NULL, out));
  const et_view view = et_view_of(boxes);
  const int32_t sizes[1] = {
      (int32_t)keep(&view, out->data, out->numel, args[2]->u.as_double)};
  return et_tensor_resize(out, sizes, 1, context->error);
}
