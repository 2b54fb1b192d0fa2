/* Step pool: averages and maxima of windows, or of whole images. */
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/pooling.h"

static et_cpu_pool_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_pool_f32);

enum { X, Y };

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = 1,
                                .inputs_most = 1,
                                .outputs = 1,
                                .attributes = ET_CPU_POOL_WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_images(step, X, Y, error));
  return et_cpu_check_pool(step, error);
}

typedef struct work {
  et_cpu_pool pool;
  et_cpu_pool_f32_function *function;
  const float *x;
  float *y;
} work;

static void run_part(void *data, size_t index) {
  const work *w = data;
  const et_cpu_pool_part part = et_cpu_pool_part_at(&w->pool, index);
  w->function(&w->pool, w->x + part.image, part.row, part.first, part.channels,
              w->y + part.out);
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  work w = {et_cpu_read_pool(step), variants[run->isa], step->tensors[X]->data,
            step->tensors[Y]->data};
  et_cpu_for_each(run, et_cpu_pool_parts(step), run_part, &w);
}

static const et_cpu_kind kind = {"pool", check, run, 0};
const et_backend_part et_cpu_step_pool = {ET_CPU_KIND_POOL, &kind};
