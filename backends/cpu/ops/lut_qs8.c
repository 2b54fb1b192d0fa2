/* Op lut_qs8: y = table[x], elementwise on 8-bit values. */
#include "backends/cpu/schema/lut_qs8.h"

#include "backends/cpu/microkernels/qs8.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/quantized.h"

static et_cpu_lut_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_lut_qs8);

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_lut_qs8_args args = et_cpu_lut_qs8_args_of(op);
  ET_RETURN_IF_ERROR(
      et_cpu_check_elements(op, args.x, (int64_t)args.y->numel, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_dtype(op, args.table, (et_scalar_type)args.y->dtype, error));
  return et_cpu_check_elements(op, args.table, ET_CPU_LUT_ENTRIES, error);
}

typedef struct work {
  et_cpu_lut_qs8_function *function;
  const uint8_t *x;
  const uint8_t *table;
  uint8_t *y;
  size_t count;
} work;

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * ET_CPU_QS8_CHUNK;
  w->function(w->table, w->x + first, w->y + first,
              et_cpu_part(w->count, ET_CPU_QS8_CHUNK, index));
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_lut_qs8_args args = et_cpu_lut_qs8_args_of(op);
  work w = {variants[run->isa], args.x->data, args.table->data, args.y->data,
            args.y->numel};
  et_cpu_for_each(run, et_cpu_parts(w.count, ET_CPU_QS8_CHUNK), run_chunk, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_lut_qs8_schema, check, run};
const et_backend_part et_cpu_op_lut_qs8 = {ET_CPU_OP_LUT_QS8, &op_type};
