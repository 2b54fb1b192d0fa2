#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"
#include "executorch/number_text.h"
#include "kernels/portable/indexing.h"

typedef struct range {
  double low;
  double high;
} range;

static double element(const et_loop *loop, et_scalar_type dtype, size_t i) {
  double value = 0.0;
  et_load_run(ET_COMPUTE_FLOAT64, dtype,
              loop->at[0] + (ptrdiff_t)i * loop->strides[0], 0, 1, &value);
  return value;
}

/* Returns the range of the elements. */
static range range_of(const et_tensor *self) {
  const et_view view = et_view_of(self);
  range r = {INFINITY, -INFINITY};
  for (et_loop loop = et_loop_over(&view, 1); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      const double value = element(&loop, self->dtype, i);
      r.low = value < r.low || value != value ? value : r.low;
      r.high = value > r.high || value != value ? value : r.high;
    }
  }
  return r;
}

/* Sets the range from the arguments. If they are equal, uses the range of the
 * elements. If this range is a single value, extends it by 1 on both sides. */
static et_status plan_range(et_kernel_context *context, const et_tensor *self,
                            const et_value *low, const et_value *high,
                            range *out) {
  *out = (range){et_scalar_to_double(low), et_scalar_to_double(high)};
  if (out->low == out->high && self->numel > 0) {
    *out = range_of(self);
  }
  if (out->low == out->high) {
    *out = (range){out->low - 1.0, out->high + 1.0};
  }
  ET_CHECK(context,
           isfinite(out->low) && isfinite(out->high) && out->low < out->high,
           "histc: range [%s, %s] is empty or not finite",
           ET_NUMBER_TEXT(out->low), ET_NUMBER_TEXT(out->high));
  return ET_STATUS_OK;
}

/* Returns the bin of an element in the range, computed in PyTorch's
 * precision. */
static int64_t bin_of(double value, const range *r, int64_t bins,
                      et_scalar_type dtype) {
  double at = (value - r->low) * (double)bins / (r->high - r->low);
  if (dtype != ET_SCALAR_TYPE_FLOAT64) {
    const float low = (float)r->low;
    at = (double)(((float)value - low) * (float)bins / ((float)r->high - low));
  }
  const int64_t bin = (int64_t)at;
  return bin < bins ? bin : bins - 1;
}

static void count_all(const et_tensor *self, const range *r, int64_t bins,
                      const et_tensor *out) {
  const et_view view = et_view_of(self);
  const size_t size = et_scalar_type_size((int32_t)out->dtype);
  et_chunk one;
  const double value = 1.0;
  et_store_run(ET_COMPUTE_FLOAT64, &value, out->dtype, (uint8_t *)&one, 0, 1);
  for (et_loop loop = et_loop_over(&view, 1); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      const double value = element(&loop, self->dtype, i);
      if (value >= r->low && value <= r->high) {
        const size_t bin = (size_t)bin_of(value, r, bins, self->dtype);
        et_accumulate(out->dtype, (const uint8_t *)&one,
                      (uint8_t *)out->data + bin * size);
      }
    }
  }
}

et_status et_op_histc_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const int64_t bins = args[1]->u.as_int;
  et_tensor *out = args[4]->u.as_tensor;
  const et_value zero = {.tag = ET_VALUE_INT, .u = {.as_int = 0}};
  const int32_t sizes[1] = {(int32_t)bins};
  range r;
  ET_CHECK_DTYPE(context, et_scalar_type_is_floating(self->dtype), "histc",
                 self->dtype);
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "histc", self, out));
  ET_CHECK(context, bins >= 1 && bins <= INT32_MAX,
           "histc: bins is %lld; pass a value in [1, %d]", (long long)bins,
           INT32_MAX);
  ET_RETURN_IF_ERROR(plan_range(context, self, args[2], args[3], &r));
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 1, context->error));
  const et_view all = et_view_of(out);
  ET_RETURN_IF_ERROR(et_fill_view(context, "histc", &zero, &all));
  count_all(self, &r, bins, out);
  return ET_STATUS_OK;
}
