/* Op pool_f32: averages and maxima of windows, or of whole images. */
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/pooling.h"

static et_cpu_pool_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_pool_f32);

enum { X, Y };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = 1,
                                .inputs_most = 1,
                                .outputs = 1,
                                .attributes = ET_CPU_POOL_WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_images(op, X, Y, error));
  return et_cpu_check_pool(op, error);
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

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {et_cpu_read_pool(op), variants[run->isa], op->tensors[X]->data,
            op->tensors[Y]->data};
  et_cpu_for_each(run, et_cpu_pool_parts(op), run_part, &w);
}

static const et_cpu_op_type op_type = {"pool_f32", check, run, 0, NULL};
const et_backend_part et_cpu_op_pool_f32 = {ET_CPU_OP_POOL_F32, &op_type};
