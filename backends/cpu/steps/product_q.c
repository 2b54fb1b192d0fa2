/* Step product_q: x[..., k] times weights of few bits, plus bias and residual. */
#include "backends/cpu/simd/product_q.h"

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"

static et_cpu_product_q_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_q_rows);
static et_cpu_product_q_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_q_row);

/* Zero points, if the attribute says so, and a residual follow. */
enum { X, WORDS, SCALES, BIAS, INPUTS };
enum { BITS, SHIFTED, ACTIVATION, ATTRIBUTES = ACTIVATION + 3 };

static size_t residual(const et_cpu_step *step) {
  return INPUTS + (step->attributes[SHIFTED] != 0 ? 1u : 0u);
}

static bool has_residual(const et_cpu_step *step) {
  return step->input_count > residual(step);
}

static const et_cpu_tensor *output(const et_cpu_step *step) {
  return step->tensors[step->input_count];
}

static et_status check_counts(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts any = {.inputs_least = INPUTS,
                             .inputs_most = INPUTS + 2,
                             .outputs = 1,
                             .attributes = ATTRIBUTES};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &any, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, BITS, 4, 8, error));
  ET_CPU_CHECK(error, step->attributes[BITS] % 4 == 0,
               "product_q: weights of %d bits", (int)step->attributes[BITS]);
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, SHIFTED, 0, 1, error));
  const et_cpu_counts own = {.inputs_least = (uint16_t)residual(step),
                             .inputs_most = (uint16_t)(residual(step) + 1),
                             .outputs = 1,
                             .attributes = ATTRIBUTES};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &own, error));
  return et_cpu_check_activation(step, ACTIVATION, error);
}

static et_status check_output(const et_cpu_step *step, et_error *error) {
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = output(step);
  int64_t sizes[ET_CPU_MAX_RANK];
  for (uint8_t i = 0; i < x->rank; i++) {
    sizes[i] = x->sizes[i];
  }
  if (y->rank == x->rank) {
    sizes[x->rank - 1] = y->sizes[x->rank - 1];
  }
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(
      step, step->input_count, ET_SCALAR_TYPE_FLOAT32, x->rank, sizes, error));
  return has_residual(step)
             ? et_cpu_check_same(step, residual(step), step->input_count, error)
             : ET_STATUS_OK;
}

/* Groups are whole words, so that a word has one scale. */
static et_status check_weights(const et_cpu_step *step, int64_t depth,
                               int64_t panels, et_error *error) {
  const int64_t codes = 32 / et_cpu_attribute(step, BITS);
  const et_cpu_tensor *scales = step->tensors[SCALES];
  ET_CPU_CHECK(error, depth > 0 && depth % codes == 0,
               "product_q: %d summands are no words of %d", (int)depth,
               (int)codes);
  const int64_t words[3] = {panels, depth / codes, 16};
  ET_RETURN_IF_ERROR(
      et_cpu_check_sizes(step, WORDS, ET_SCALAR_TYPE_INT32, 3, words, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, SCALES, ET_SCALAR_TYPE_FLOAT32, 3, error));
  const int64_t groups = scales->sizes[1];
  ET_CPU_CHECK(error,
               groups > 0 && depth % groups == 0 && depth / groups % codes == 0,
               "product_q: %d groups of %d summands are no words of %d",
               (int)groups, (int)depth, (int)codes);
  const int64_t sizes[3] = {panels, groups, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(step, SCALES, ET_SCALAR_TYPE_FLOAT32, 3,
                                        sizes, error));
  return step->attributes[SHIFTED] != 0
             ? et_cpu_check_same(step, INPUTS, SCALES, error)
             : ET_STATUS_OK;
}

static et_status check(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(check_counts(step, error));
  const et_cpu_tensor *x = step->tensors[X];
  ET_CPU_CHECK(error, x->rank >= 1, "product_q: tensor 0 has no dims");
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, X, ET_SCALAR_TYPE_FLOAT32, x->rank, error));
  ET_RETURN_IF_ERROR(check_output(step, error));
  const int64_t columns = output(step)->sizes[x->rank - 1];
  const int64_t panels = (columns + 15) / 16;
  ET_RETURN_IF_ERROR(check_weights(step, x->sizes[x->rank - 1], panels, error));
  return et_cpu_check_numel(step, BIAS, ET_SCALAR_TYPE_FLOAT32, panels * 16,
                            error);
}

/* The output in blocks of rows times blocks of columns. */
typedef struct work {
  et_cpu_product_q product;
  et_cpu_product_q_function *function;
  size_t rows;
  size_t block_columns;
  size_t column_blocks;
} work;

/* As many as use a block of weights that have become floats. */
#define BLOCK_ROWS 512

static void run_block(void *data, size_t index) {
  const work *w = data;
  const size_t row = index / w->column_blocks;
  const size_t column = index % w->column_blocks;
  const et_cpu_range range = {
      row * BLOCK_ROWS, et_cpu_part(w->rows, BLOCK_ROWS, row),
      column * w->block_columns,
      et_cpu_part(w->product.columns, w->block_columns, column)};
  w->function(&w->product, &range);
}

/* Columns of a block: whole groups of panels, about half a million
 * multiplications. */
static size_t columns_per_block(const work *w) {
  const size_t enough = 524288;
  const size_t rows = w->rows < BLOCK_ROWS ? w->rows : BLOCK_ROWS;
  const size_t panels = enough / (rows * w->product.depth + 1) / 64 * 64;
  return panels < 64 ? 64 : panels;
}

static const float *data_of(const et_cpu_step *step, size_t index) {
  return step->tensors[index]->data;
}

static et_cpu_product_q read(const et_cpu_step *step) {
  const et_cpu_tensor *x = step->tensors[X];
  const bool is_shifted = step->attributes[SHIFTED] != 0;
  et_cpu_product_q product = {
      .x = x->data,
      .words = step->tensors[WORDS]->data,
      .scales = data_of(step, SCALES),
      .zero_points = is_shifted ? data_of(step, INPUTS) : NULL,
      .bias = data_of(step, BIAS),
      .residual = has_residual(step) ? data_of(step, residual(step)) : NULL,
      .out = output(step)->data,
      .depth = (size_t)x->sizes[x->rank - 1],
      .columns = (size_t)output(step)->sizes[x->rank - 1],
      .bits = step->attributes[BITS],
      .activation = et_cpu_read_activation(step, ACTIVATION)};
  product.group = product.depth / (size_t)step->tensors[SCALES]->sizes[1];
  return product;
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  work w = {.product = read(step)};
  w.rows = w.product.columns == 0 ? 0 : output(step)->numel / w.product.columns;
  w.function = w.rows == 1 ? row_variants[run->isa] : rows_variants[run->isa];
  w.block_columns = columns_per_block(&w);
  w.column_blocks = et_cpu_parts(w.product.columns, w.block_columns);
  et_cpu_for_each(run, et_cpu_parts(w.rows, BLOCK_ROWS) * w.column_blocks,
                  run_block, &w);
}

static const et_cpu_kind kind = {"product_q", check, run, 0};
const et_backend_part et_cpu_step_product_q = {ET_CPU_KIND_PRODUCT_Q, &kind};
