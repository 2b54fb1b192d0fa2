/* Op dequantize: the floats that bytes stand for. */
#include "backends/cpu/microkernels/qs8.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/quantized.h"

static et_cpu_dequantize_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_dequantize);

enum { X, Y };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = 1,
                                .inputs_most = 1,
                                .outputs = 1,
                                .attributes = ET_CPU_READING_WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_bytes(op, X, error));
  ET_RETURN_IF_ERROR(et_cpu_check_byte(op, 0, X, error));
  return et_cpu_check_numel(op, Y, ET_SCALAR_TYPE_FLOAT32,
                            (int64_t)op->tensors[X]->numel, error);
}

typedef struct work {
  et_cpu_scaled_bytes x;
  et_cpu_dequantize_function *function;
  float *y;
  size_t count;
} work;

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * ET_CPU_BYTES_OF_CHUNK;
  et_cpu_scaled_bytes x = w->x;
  x.bytes.data += first;
  w->function(&x, w->y + first,
              et_cpu_part(w->count, ET_CPU_BYTES_OF_CHUNK, index));
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {{et_cpu_read_bytes(op, X, 0), et_cpu_float_attribute(op, 1)},
            variants[run->isa],
            op->tensors[Y]->data,
            op->tensors[Y]->numel};
  et_cpu_for_each(run, et_cpu_parts(w.count, ET_CPU_BYTES_OF_CHUNK), run_chunk,
                  &w);
}

static const et_cpu_op_type op_type = {"dequantize", check, run, 0, NULL};
const et_backend_part et_cpu_op_dequantize = {ET_CPU_OP_DEQUANTIZE, &op_type};
