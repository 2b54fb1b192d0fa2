/* Op pool_f32: average or maximum over windows of an image, or over the whole image. */
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/window.h"

static et_cpu_pool_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_pool_f32);

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_pool_f32_args args = et_cpu_pool_f32_args_of(op);
  return et_cpu_check_pool(op, &args, error);
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
  const et_cpu_pool_f32_args args = et_cpu_pool_f32_args_of(op);
  work w = {et_cpu_pool_of(&args), variants[run->isa], args.x->data,
            args.y->data};
  et_cpu_for_each(run, et_cpu_pool_parts(args.y), run_part, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_pool_f32_schema, check, run};
const et_backend_part et_cpu_op_pool_f32 = {ET_CPU_OP_POOL_F32, &op_type};
