/* Step norm: rows brought to mean 0 and variance 1 (layer norm) or to mean
 * square 1 (RMS norm), then perhaps scaled and shifted. */
#include "backends/cpu/simd/norm.h"

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"

static et_cpu_norm_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_norm_f32);

enum { X, SCALE, SHIFT, INPUTS };
enum { CENTERED, EPSILON, WORDS };

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = X + 1,
                                .inputs_most = INPUTS,
                                .outputs = 1,
                                .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  const et_cpu_tensor *x = step->tensors[X];
  ET_CPU_CHECK(error, x->rank >= 1, "norm: tensor 0 has no dims");
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, X, ET_SCALAR_TYPE_FLOAT32, x->rank, error));
  const int64_t columns[1] = {x->sizes[x->rank - 1]};
  for (size_t i = SCALE; i < step->input_count; i++) {
    ET_RETURN_IF_ERROR(
        et_cpu_check_sizes(step, i, ET_SCALAR_TYPE_FLOAT32, 1, columns, error));
  }
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, CENTERED, 0, 1, error));
  return et_cpu_check_same(step, step->input_count, X, error);
}

/* Rows in blocks. */
typedef struct work {
  et_cpu_norm norm;
  et_cpu_norm_f32_function *function;
  size_t rows;
  size_t block_rows;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  w->function(&w->norm, index * w->block_rows,
              et_cpu_part(w->rows, w->block_rows, index));
}

static const float *input_or_null(const et_cpu_step *step, size_t index) {
  return index < step->input_count ? step->tensors[index]->data : NULL;
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *x = step->tensors[X];
  const size_t columns = (size_t)x->sizes[x->rank - 1];
  if (x->numel == 0) {
    return;
  }
  work w = {.function = variants[run->isa], .rows = x->numel / columns};
  w.norm = (et_cpu_norm){.x = x->data,
                         .scale = input_or_null(step, SCALE),
                         .shift = input_or_null(step, SHIFT),
                         .out = step->tensors[step->input_count]->data,
                         .columns = columns,
                         .epsilon = et_cpu_read_float(step, EPSILON),
                         .centered = step->attributes[CENTERED] != 0};
  w.block_rows = 1 + 16384 / columns;
  et_cpu_for_each(run, et_cpu_parts(w.rows, w.block_rows), run_block, &w);
}

static const et_cpu_kind kind = {"norm", check, run, 1};
const et_backend_part et_cpu_step_norm = {ET_CPU_KIND_NORM, &kind};
