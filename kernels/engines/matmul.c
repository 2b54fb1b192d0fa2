#include "kernels/engines/matmul.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/scratch.h"
#include "kernels/engines/gemm.h"
#include "runtime/core/arithmetic.h"

/* Number of output columns that are computed at a time if there are several
 * rows. The rows of b that they need stay in the cache. */
#define BLOCK_COLUMNS 256

static const float *floats(const et_view *view) {
  return (const float *)(const void *)view->data;
}

static et_gemm_matrix matrix_of(const et_view *view, size_t column) {
  return (et_gemm_matrix){floats(view) + (ptrdiff_t)column * view->strides[1],
                          (ptrdiff_t)view->strides[0],
                          (ptrdiff_t)view->strides[1]};
}

static float *out_row(const et_matmul *p, size_t row) {
  return (float *)(void *)p->out.data + (int64_t)row * p->out.strides[0];
}

/* Writes the bias, or zeros, to the output. */
static void start_rows(const et_matmul *p) {
  const et_view *bias = &p->bias;
  for (size_t i = 0; i < (size_t)p->out.sizes[0]; i++) {
    float *out = out_row(p, i);
    for (int64_t j = 0; j < p->out.sizes[1]; j++) {
      out[j] =
          bias->data == NULL
              ? 0.0f
              : floats(
                    bias)[(int64_t)i * bias->strides[0] + j * bias->strides[1]];
    }
  }
}

/* Uses b in place; its rows are contiguous. A single output row reads b in one
 * pass; several output rows read it in blocks. */
static void multiply_rows(const et_matmul *p) {
  const size_t rows = (size_t)p->out.sizes[0];
  const size_t columns = (size_t)p->out.sizes[1];
  const size_t width = rows == 1 ? columns : BLOCK_COLUMNS;
  const et_gemm_matrix a = matrix_of(&p->a, 0);
  for (size_t j = 0; j < columns; j += width) {
    const et_gemm_panel b = {floats(&p->b) + j, (size_t)p->b.strides[0]};
    et_gemm_accumulate(rows, et_min_size(width, columns - j),
                       (size_t)p->a.sizes[1], &a, &b,
                       (et_gemm_start){false, NULL}, out_row(p, 0) + j,
                       (size_t)p->out.strides[0]);
  }
}

/* Gathers depth x columns elements of b, from (k, j), into contiguous rows. */
static void gather_panel(const et_view *b, size_t k, size_t depth, size_t j,
                         size_t columns, float *panel) {
  for (size_t column = 0; column < columns; column++) {
    const float *from = floats(b) + (int64_t)k * b->strides[0] +
                        (int64_t)(j + column) * b->strides[1];
    for (size_t i = 0; i < depth; i++) {
      panel[i * columns + column] = from[(int64_t)i * b->strides[0]];
    }
  }
}

static void multiply_gathered(const et_matmul *p, float *panel, size_t floats) {
  const size_t columns = (size_t)p->out.sizes[1];
  const size_t depth = (size_t)p->a.sizes[1];
  const size_t width = 64;
  const size_t height = floats / width;
  for (size_t j = 0; j < columns; j += width) {
    const size_t n = et_min_size(width, columns - j);
    for (size_t k = 0; k < depth; k += height) {
      const size_t taps = et_min_size(height, depth - k);
      gather_panel(&p->b, k, taps, j, n, panel);
      const et_gemm_matrix a = matrix_of(&p->a, k);
      const et_gemm_panel b = {panel, n};
      et_gemm_accumulate((size_t)p->out.sizes[0], n, taps, &a, &b,
                         (et_gemm_start){false, NULL}, out_row(p, 0) + j,
                         (size_t)p->out.strides[0]);
    }
  }
}

/* For few rows of a and contiguous columns of b, such as the weight of a linear
 * layer. Reads b once, without a copy. */
static void multiply_dots(const et_matmul *p) {
  for (int64_t j = 0; j < p->out.sizes[1]; j++) {
    const float *column = floats(&p->b) + j * p->b.strides[1];
    for (size_t i = 0; i < (size_t)p->out.sizes[0]; i++) {
      const float *row = floats(&p->a) + (int64_t)i * p->a.strides[0];
      out_row(p, i)[j] += et_gemm_dot(row, column, (size_t)p->a.sizes[1]);
    }
  }
}

static bool is_one(const et_value *number) {
  return number == NULL || et_scalar_to_double(number) == 1.0;
}

static bool is_unscaled(const et_matmul *p) {
  return is_one(p->alpha) && is_one(p->beta);
}

/* Returns true if the float32 loops support the multiplication. */
static bool is_plain(const et_matmul *p) {
  return ET_MATMUL_IS_PLAIN(p->out.dtype, is_unscaled(p), p->out.strides[1]);
}

static void multiply_float32(const et_matmul *p, float *scratch) {
  start_rows(p);
  if (p->b.strides[1] == 1) {
    multiply_rows(p);
  } else if (ET_MATMUL_IS_DOTS(p->out.sizes[0], p->a.strides[1],
                               p->b.strides[0])) {
    multiply_dots(p);
  } else {
    multiply_gathered(p, scratch, ET_MATMUL_SCRATCH_BYTES / sizeof(float));
  }
}

size_t et_matmul_scratch(const et_matmul *matmul) {
  return ET_MATMUL_SCRATCH(matmul->out.dtype, is_unscaled(matmul),
                           matmul->out.sizes[0], matmul->a.strides[1],
                           matmul->b.strides[0], matmul->b.strides[1],
                           matmul->out.strides[1]);
}

static et_status check_matmul(et_kernel_context *context, const et_matmul *p) {
  ET_CHECK(context, p->a.sizes[1] == p->b.sizes[0],
           "%s: [%d, %d] and [%d, %d] cannot be multiplied", p->name,
           (int)p->a.sizes[0], (int)p->a.sizes[1], (int)p->b.sizes[0],
           (int)p->b.sizes[1]);
  const bool bias_fits = p->bias.data == NULL || p->bias.dtype == p->out.dtype;
  ET_CHECK(
      context,
      p->a.dtype == p->out.dtype && p->b.dtype == p->out.dtype && bias_fits,
      "%s: operands and out differ in dtype; cast them to one dtype", p->name);
  ET_CHECK_DTYPE(context,
                 et_dtype_is_computable(p->out.dtype) &&
                     p->out.dtype != ET_SCALAR_TYPE_BOOL,
                 p->name, p->out.dtype);
  return ET_STATUS_OK;
}

et_status et_matmul_prepare(et_prepare_context *context, et_value *const *args,
                            et_matmul_plan_fn plan) {
  et_kernel_context call = {.error = NULL};
  et_matmul matmul;
  if (plan(&call, args, &matmul) == ET_STATUS_OK) {
    context->scratch_bytes = et_matmul_scratch(&matmul);
  }
  return ET_STATUS_OK;
}

et_status et_matmul_run(et_kernel_context *context, const et_matmul *matmul) {
  ET_RETURN_IF_ERROR(check_matmul(context, matmul));
  if (matmul->out.sizes[0] == 0 || matmul->out.sizes[1] == 0) {
    return ET_STATUS_OK;
  }
  /* With dynamic shapes, the call may need more scratch than its `prepare`
   * requested. */
  if (is_plain(matmul) && context->scratch.size >= et_matmul_scratch(matmul)) {
    multiply_float32(matmul, (float *)(void *)context->scratch.data);
  } else {
    et_matmul_any(matmul);
  }
  return ET_STATUS_OK;
}
