#include "executorch/kernels/args.h"
#include "executorch/kernels/index.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/matmul.h"

static const char *const NAME = "grouped_mm";

/* Checks that group ends do not decrease and do not exceed the number of
 * rows. */
static et_status check_groups(et_kernel_context *context, const et_tensor *offs,
                              int64_t groups, int64_t rows) {
  ET_RETURN_IF_ERROR(et_shape_rank(context, "grouped_mm: offs", offs, 1, 1));
  ET_RETURN_IF_ERROR(et_index_check_dtype(context, "grouped_mm: offs", offs));
  ET_CHECK(context, offs->sizes[0] == groups,
           "grouped_mm: got %d offs for %d groups", (int)offs->sizes[0],
           (int)groups);
  const et_view ends = et_view_of(offs);
  int64_t start = 0;
  for (int64_t i = 0; i < groups; i++) {
    const int64_t end = et_index_at(&ends, (size_t)i);
    ET_CHECK(context, end >= start && end <= rows,
             "grouped_mm: offs[%d] = %lld is not in [%lld, %lld]", (int)i,
             (long long)end, (long long)start, (long long)rows);
    start = end;
  }
  return ET_STATUS_OK;
}

/* Multiplies rows [start, end) of self by b. Uses as many columns of self as b
 * has rows. */
static et_status multiply(et_kernel_context *context, et_value *const *args,
                          int64_t start, int64_t end, et_view b) {
  const et_view a = et_view_of(args[0]->u.as_tensor);
  const et_view out = et_view_of(args[3]->u.as_tensor);
  const int32_t rows = (int32_t)(end - start);
  et_matmul product = {.name = NAME,
                       .a = et_view_slice(&a, 0, start, 1, rows),
                       .b = b,
                       .out = et_view_slice(&out, 0, start, 1, rows)};
  product.a = et_view_slice(&product.a, 1, 0, 1, b.sizes[0]);
  return et_matmul_run(context, &product);
}

static et_status multiply_groups(et_kernel_context *context,
                                 et_value *const *args) {
  const et_view matrices = et_view_of(args[1]->u.as_tensor);
  const et_view ends = et_view_of(args[2]->u.as_tensor);
  int64_t start = 0;
  for (int64_t i = 0; i < matrices.sizes[0]; i++) {
    const int64_t end = et_index_at(&ends, (size_t)i);
    ET_RETURN_IF_ERROR(
        multiply(context, args, start, end, et_view_select(&matrices, 0, i)));
    start = end;
  }
  /* Rows that are in no group become zeros. */
  const et_view none = {.data = matrices.data,
                        .dtype = matrices.dtype,
                        .rank = 2,
                        .sizes = {0, matrices.sizes[2]},
                        .strides = {0, 1}};
  return multiply(context, args, start, args[0]->u.as_tensor->sizes[0], none);
}

et_status et_op_grouped_mm_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_tensor *mat2 = args[1]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_rank(context, "grouped_mm: self", self, 2, 2));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "grouped_mm: mat2", mat2, 3, 3));
  ET_CHECK(context, self->sizes[1] == mat2->sizes[1],
           "grouped_mm: [%d, %d] and [%d, %d] cannot be multiplied",
           (int)self->sizes[0], (int)self->sizes[1], (int)mat2->sizes[1],
           (int)mat2->sizes[2]);
  ET_RETURN_IF_ERROR(check_groups(context, args[2]->u.as_tensor, mat2->sizes[0],
                                  self->sizes[0]));
  const int32_t sizes[2] = {self->sizes[0], mat2->sizes[2]};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 2, context->error));
  return multiply_groups(context, args);
}
