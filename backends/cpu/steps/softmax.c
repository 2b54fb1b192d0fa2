/* Step softmax: rows of probabilities, or their logarithms. */
#include "backends/cpu/simd/softmax.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"

static et_cpu_softmax_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_softmax_f32);

enum { X, Y };
enum { LOGARITHM, WORDS };

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 1, .inputs_most = 1, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  const et_cpu_tensor *x = step->tensors[X];
  ET_CPU_CHECK(error, x->rank >= 1, "softmax: tensor 0 has no dims");
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, X, ET_SCALAR_TYPE_FLOAT32, x->rank, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, LOGARITHM, 0, 1, error));
  return et_cpu_check_same(step, Y, X, error);
}

/* Rows in blocks. */
typedef struct work {
  et_cpu_softmax softmax;
  et_cpu_softmax_f32_function *function;
  size_t rows;
  size_t block_rows;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  w->function(&w->softmax, index * w->block_rows,
              et_cpu_part(w->rows, w->block_rows, index));
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *x = step->tensors[X];
  const size_t columns = (size_t)x->sizes[x->rank - 1];
  if (x->numel == 0) {
    return;
  }
  work w = {.softmax = {.x = x->data,
                        .out = step->tensors[Y]->data,
                        .columns = columns,
                        .logarithm = step->attributes[LOGARITHM] != 0},
            .function = variants[run->isa],
            .rows = x->numel / columns,
            .block_rows = 1 + 8192 / columns};
  et_cpu_for_each(run, et_cpu_parts(w.rows, w.block_rows), run_block, &w);
}

static const et_cpu_kind kind = {"softmax", check, run, 1};
const et_backend_part et_cpu_step_softmax = {ET_CPU_KIND_SOFTMAX, &kind};
