#include "executorch/kernels/args.h"
#include "executorch/kernels/fold.h"
#include "executorch/kernels/line.h"
#include "executorch/kernels/shape.h"

/* A sum so far, in the type that elements are added in. */
typedef struct running_sum {
  int64_t int64;
  double float64;
} running_sum;

static void add_up(et_compute compute, running_sum *sum, et_chunk *chunk,
                   size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (compute == ET_COMPUTE_INT64) {
      sum->int64 = et_wrap_add(sum->int64, chunk->int64[i]);
      chunk->int64[i] = sum->int64;
    } else {
      sum->float64 += chunk->float64[i];
      chunk->float64[i] = sum->float64;
    }
  }
}

/* Operand 0 is out. */
static void sum_line(const et_lines *lines, uint8_t *const *at,
                     const void *state) {
  const et_compute compute = et_scalar_type_is_floating(lines->dtypes[0])
                                 ? ET_COMPUTE_FLOAT64
                                 : ET_COMPUTE_INT64;
  running_sum sum = {0, 0.0};
  (void)state;
  for (size_t start = 0; start < lines->lengths[0]; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t rest = lines->lengths[0] - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_load_run(compute, lines->dtypes[1],
                at[1] + (ptrdiff_t)start * lines->strides[1], lines->strides[1],
                n, &chunk);
    add_up(compute, &sum, &chunk, n);
    et_store_run(compute, &chunk, lines->dtypes[0],
                 at[0] + (ptrdiff_t)start * lines->strides[0],
                 lines->strides[0], n);
  }
}

et_status et_op_cumsum_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_supports(context, "cumsum",
                                       et_dtype_is_computable(self->dtype) &&
                                           et_dtype_is_computable(out->dtype) &&
                                           out->dtype != ET_SCALAR_TYPE_BOOL,
                                       self, out));
  ET_RETURN_IF_ERROR(et_fold_check_dtype(context, "cumsum", args[2], out));
  ET_RETURN_IF_ERROR(
      et_shape_axis(context, "cumsum", args[1]->u.as_int, self->rank, &axis));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  const et_view views[2] = {et_view_of(out), et_view_of(self)};
  et_lines_run(views, 2, axis, sum_line, NULL);
  return ET_STATUS_OK;
}
