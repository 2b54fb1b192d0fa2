/* Step product: x[..., k] times packed weights, plus bias and residual. */
#include "backends/cpu/simd/product.h"

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/product_blocks.h"

static et_cpu_product_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_product_f32);

enum { X, PANELS, BIAS, RESIDUAL, INPUTS };

static const et_cpu_tensor *output(const et_cpu_step *step) {
  return step->tensors[step->input_count];
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
  return step->input_count == INPUTS
             ? et_cpu_check_same(step, RESIDUAL, step->input_count, error)
             : ET_STATUS_OK;
}

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = INPUTS - 1,
                                .inputs_most = INPUTS,
                                .outputs = 1,
                                .attributes = ET_CPU_ACTIVATION_WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(step, 0, error));
  const et_cpu_tensor *x = step->tensors[X];
  ET_CPU_CHECK(error, x->rank >= 1, "product: tensor 0 has no dims");
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, X, ET_SCALAR_TYPE_FLOAT32, x->rank, error));
  ET_RETURN_IF_ERROR(check_output(step, error));
  const int64_t columns = output(step)->sizes[x->rank - 1];
  const int64_t panels = (columns + 15) / 16;
  const int64_t packed[3] = {panels, x->sizes[x->rank - 1], 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(step, PANELS, ET_SCALAR_TYPE_FLOAT32, 3,
                                        packed, error));
  return et_cpu_check_numel(step, BIAS, ET_SCALAR_TYPE_FLOAT32, panels * 16,
                            error);
}

typedef struct work {
  et_cpu_product product;
  et_cpu_product_f32_function *function;
  et_cpu_blocks blocks;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  w->function(&w->product, &range);
}

/* Rows of a block: as many as stay in the second cache while the panels pass,
 * ET_TILE_DEPTH elements of each at a time, and no fewer than make reading the
 * panels worth while. */
static size_t rows_per_block(size_t depth) {
  const size_t floats = 98304;
  const size_t least = 252;
  const size_t most = 768;
  const size_t rows = floats / (depth > 0 ? depth : 1) / 6 * 6;
  return rows < least ? least : rows > most ? most : rows;
}

static work plan(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = output(step);
  work w = {.function = variants[run->isa]};
  w.product = (et_cpu_product){.x = x->data,
                               .panels = step->tensors[PANELS]->data,
                               .bias = step->tensors[BIAS]->data,
                               .residual = step->input_count == INPUTS
                                               ? step->tensors[RESIDUAL]->data
                                               : NULL,
                               .out = y->data,
                               .depth = (size_t)x->sizes[x->rank - 1],
                               .columns = (size_t)y->sizes[y->rank - 1],
                               .activation = et_cpu_read_activation(step, 0)};
  const size_t rows = w.product.columns == 0 ? 0 : y->numel / w.product.columns;
  const size_t most = rows_per_block(w.product.depth);
  w.blocks = (et_cpu_blocks){
      rows, w.product.columns, most,
      et_cpu_block_columns(rows < most ? rows : most, w.product.depth)};
  return w;
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  work w = plan(step, run);
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks), run_block, &w);
}

static const et_cpu_kind kind = {"product", check, run, 0};
const et_backend_part et_cpu_step_product = {ET_CPU_KIND_PRODUCT, &kind};
