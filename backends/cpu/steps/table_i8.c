/* Step table_i8: bytes to bytes, each by itself. */
#include "backends/cpu/simd/table_i8.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/quantized.h"

static et_cpu_table_i8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_table_i8);

enum { X, TABLE, Y };

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = Y, .inputs_most = Y, .outputs = 1};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_bytes(step, X, error));
  ET_RETURN_IF_ERROR(et_cpu_check_bytes(step, Y, error));
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = step->tensors[Y];
  ET_RETURN_IF_ERROR(et_cpu_check_numel(step, X, (et_scalar_type)x->dtype,
                                        (int64_t)y->numel, error));
  return et_cpu_check_numel(step, TABLE, (et_scalar_type)y->dtype,
                            ET_CPU_TABLE_ENTRIES, error);
}

typedef struct work {
  et_cpu_table_i8_function *function;
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

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  work w = {variants[run->isa], step->tensors[X]->data,
            step->tensors[TABLE]->data, step->tensors[Y]->data,
            step->tensors[Y]->numel};
  et_cpu_for_each(run, et_cpu_parts(w.count, ET_CPU_BYTES_OF_CHUNK), run_chunk,
                  &w);
}

static const et_cpu_kind kind = {"table_i8", check, run, 0};
const et_backend_part et_cpu_step_table_i8 = {ET_CPU_KIND_TABLE_I8, &kind};
