/* Op lut_qs8: bytes to bytes, each by itself. */
#include "backends/cpu/microkernels/lut_qs8.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/quantized.h"

static et_cpu_lut_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_lut_qs8);

enum { X, TABLE, Y };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = Y, .inputs_most = Y, .outputs = 1};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_bytes(op, X, error));
  ET_RETURN_IF_ERROR(et_cpu_check_bytes(op, Y, error));
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  ET_RETURN_IF_ERROR(et_cpu_check_numel(op, X, (et_scalar_type)x->dtype,
                                        (int64_t)y->numel, error));
  return et_cpu_check_numel(op, TABLE, (et_scalar_type)y->dtype,
                            ET_CPU_LUT_ENTRIES, error);
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
  const size_t first = index * ET_CPU_BYTES_OF_CHUNK;
  w->function(w->table, w->x + first, w->y + first,
              et_cpu_part(w->count, ET_CPU_BYTES_OF_CHUNK, index));
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {variants[run->isa], op->tensors[X]->data, op->tensors[TABLE]->data,
            op->tensors[Y]->data, op->tensors[Y]->numel};
  et_cpu_for_each(run, et_cpu_parts(w.count, ET_CPU_BYTES_OF_CHUNK), run_chunk,
                  &w);
}

static const et_cpu_op_type op_type = {"lut_qs8", check, run, 0, NULL};
const et_backend_part et_cpu_op_lut_qs8 = {ET_CPU_OP_LUT_QS8, &op_type};
