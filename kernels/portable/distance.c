#include "kernels/portable/distance.h"

#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/number_text.h"

et_status et_distance_check(et_kernel_context *context, const char *what,
                            double p) {
  ET_CHECK(context, p >= 0.0, "%s: p = %s is negative or NaN; pass at least 0",
           what, ET_NUMBER_TEXT(p));
  return ET_STATUS_OK;
}

/* Adds a difference to the sum of the p-norm. For p = infinity, takes the
 * maximum. */
static double with_difference(double sum, double d, double p) {
  if (p == 2.0) {
    return sum + d * d;
  }
  if (p == 1.0) {
    return sum + d;
  }
  if (p == 0.0) {
    return sum + (d != 0.0 ? 1.0 : 0.0);
  }
  if (isinf(p)) {
    return d > sum || d != d ? d : sum;
  }
  return sum + pow(d, p);
}

static double finish(double sum, double p) {
  if (p == 2.0) {
    return sqrt(sum);
  }
  return p == 0.0 || p == 1.0 || isinf(p) ? sum : pow(sum, 1.0 / p);
}

static void load(const et_view *view, size_t start, size_t count,
                 et_chunk *chunk) {
  const ptrdiff_t stride = (ptrdiff_t)view->strides[0] *
                           (ptrdiff_t)et_scalar_type_size((int32_t)view->dtype);
  et_load_run(ET_COMPUTE_FLOAT64, view->dtype,
              view->data + (ptrdiff_t)start * stride, stride, count, chunk);
}

double et_distance(const et_view *a, const et_view *b, double p) {
  const size_t size = (size_t)a->sizes[0];
  double sum = 0.0;
  for (size_t start = 0; start < size; start += ET_CHUNK) {
    const size_t n = size - start < ET_CHUNK ? size - start : ET_CHUNK;
    et_chunk x;
    et_chunk y;
    load(a, start, n, &x);
    load(b, start, n, &y);
    for (size_t i = 0; i < n; i++) {
      sum = with_difference(sum, fabs(x.float64[i] - y.float64[i]), p);
    }
  }
  return finish(sum, p);
}
