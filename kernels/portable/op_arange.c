#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/number_text.h"

typedef struct range {
  double start;
  double end;
  double step;
  int64_t whole_start; /* start as an exact integer */
  int64_t whole_step;
} range;

/* Returns the number of elements in [start, end). For int64, `whole` is true
 * and the count is rounded as in integer division. */
static double count_of(const range *r, bool whole) {
  if (!whole) {
    return ceil((r->end - r->start) / r->step);
  }
  const double sign = r->step > 0 ? 1.0 : -1.0;
  return floor((r->end - r->start + r->step - sign) / r->step);
}

static void write_element(const range *r, bool real, int32_t i,
                          et_tensor *out) {
  const size_t size = et_scalar_type_size((int32_t)out->dtype);
  uint8_t *at = (uint8_t *)out->data + (size_t)i * size;
  if (real) {
    const double value = r->start + (double)i * r->step;
    et_store_run(ET_COMPUTE_FLOAT64, &value, out->dtype, at, 0, 1);
  } else {
    const int64_t value =
        et_wrap_add(r->whole_start, et_wrap_mul(i, r->whole_step));
    et_store_run(ET_COMPUTE_INT64, &value, out->dtype, at, 0, 1);
  }
}

/* For int64, the bounds and the step are truncated. */
static et_status write_range(et_kernel_context *context, range r,
                             et_tensor *out) {
  const bool real = et_scalar_type_is_floating(out->dtype);
  const bool whole = out->dtype == ET_SCALAR_TYPE_INT64;
  if (whole) {
    r.start = trunc(r.start);
    r.end = trunc(r.end);
    r.step = trunc(r.step);
  }
  ET_CHECK_DTYPE(
      context,
      et_dtype_is_computable(out->dtype) && out->dtype != ET_SCALAR_TYPE_BOOL,
      "arange", out->dtype);
  ET_CHECK(context,
           isfinite(r.start) && isfinite(r.end) && isfinite(r.step) &&
               (r.step > 0 ? r.end >= r.start : r.step < 0 && r.end <= r.start),
           "arange: the range from %s to %s in steps of %s is invalid",
           ET_NUMBER_TEXT(r.start), ET_NUMBER_TEXT(r.end),
           ET_NUMBER_TEXT(r.step));
  const double count = count_of(&r, whole);
  ET_CHECK(context, count <= INT32_MAX, "arange: %s elements are too many",
           ET_NUMBER_TEXT(count));
  const int32_t sizes[1] = {(int32_t)count};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 1, context->error));
  for (int32_t i = 0; i < sizes[0]; i++) {
    write_element(&r, real, i, out);
  }
  return ET_STATUS_OK;
}

et_status et_op_arange_out(et_kernel_context *context, et_value **args) {
  const range r = {0.0, et_scalar_to_double(args[0]), 1.0, 0, 1};
  return write_range(context, r, args[1]->u.as_tensor);
}

et_status et_op_arange_start_out(et_kernel_context *context, et_value **args) {
  const range r = {et_scalar_to_double(args[0]), et_scalar_to_double(args[1]),
                   et_scalar_to_double(args[2]), et_scalar_to_int(args[0]),
                   et_scalar_to_int(args[2])};
  return write_range(context, r, args[3]->u.as_tensor);
}
