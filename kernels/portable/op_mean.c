#include "kernels/util/args.h"
#include "kernels/util/convert.h"
#include "kernels/util/reduce.h"

static double sum_run(et_scalar_type dtype, const uint8_t *in, ptrdiff_t stride,
                      size_t count) {
  double sum = 0.0;
  for (size_t start = 0; start < count; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t n = count - start < ET_CHUNK ? count - start : ET_CHUNK;
    et_load_run(ET_COMPUTE_FLOAT64, dtype, in + (ptrdiff_t)start * stride,
                stride, n, &chunk);
    for (size_t i = 0; i < n; i++) {
      sum += chunk.float64[i];
    }
  }
  return sum;
}

/* The mean of nothing is 0 / 0, NaN. */
static void mean_of(const et_reduction *r, et_loop *elements, uint8_t *out) {
  double sum = 0.0;
  for (; elements->count > 0; et_loop_next(elements)) {
    sum += sum_run(r->reduced.dtype, elements->at[0], elements->strides[0],
                   elements->count);
  }
  const double mean = sum / (double)r->count;
  et_store_run(ET_COMPUTE_FLOAT64, &mean, r->out.dtype, out, 0, 1);
}

et_status et_op_mean_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[4]->u.as_tensor;
  et_reduction reduction;
  ET_CHECK(context,
           et_dtype_is_computable(self->dtype) &&
               et_scalar_type_is_floating(out->dtype),
           "mean: from %s to %s is not supported",
           et_scalar_type_name((int32_t)self->dtype),
           et_scalar_type_name((int32_t)out->dtype));
  ET_CHECK(context,
           et_arg_int_or(args[3], (int64_t)out->dtype) == (int64_t)out->dtype,
           "mean: dtype %lld is not that of out",
           (long long)et_arg_int_or(args[3], 0));
  ET_RETURN_IF_ERROR(et_reduction_plan(context, "mean", self, args[1],
                                       args[2]->u.as_bool, out, &reduction));
  et_reduction_run(&reduction, mean_of);
  return ET_STATUS_OK;
}
