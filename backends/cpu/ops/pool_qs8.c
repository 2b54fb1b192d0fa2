/* Op pool_qs8: averages and maxima of windows of bytes, or of whole images. */
#include "backends/cpu/microkernels/pool_qs8.h"

#include <math.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/pooling.h"
#include "backends/cpu/ops/quantized.h"

static et_cpu_pool_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_pool_qs8);

enum { X, Y };
enum {
  READING = ET_CPU_POOL_WORDS,
  QUANTIZING = READING + ET_CPU_READING_WORDS,
  WORDS = QUANTIZING + ET_CPU_QUANTIZING_WORDS
};

/* Pixels whose sum fits. */
#define MOST_PIXELS (INT32_MAX / 256)

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 1, .inputs_most = 1, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_image_i8(op, X, error));
  ET_RETURN_IF_ERROR(et_cpu_check_image_i8(op, Y, error));
  ET_RETURN_IF_ERROR(et_cpu_check_pool(op, error));
  const int32_t *in = op->tensors[X]->sizes;
  ET_CPU_CHECK(error, (int64_t)in[1] * in[2] <= MOST_PIXELS,
               "pool_qs8: images of %d x %d pixels are too large", (int)in[1],
               (int)in[2]);
  ET_RETURN_IF_ERROR(et_cpu_check_byte(op, READING, X, error));
  return et_cpu_check_quantizing(op, QUANTIZING, Y, error);
}

/* A byte's difference from its zero point is at most 255: scales that differ by a
 * thousandth of them move it by less than half a step, so that it is rounded to itself. */
#define SAME_SCALE 1e-3f

static bool keeps_bytes(const et_cpu_scaled_bytes *x,
                        const et_cpu_output_quantization *y) {
  const int32_t low = x->bytes.is_signed ? INT8_MIN : 0;
  return fabsf(x->scale * y->inverse - 1.0f) <= SAME_SCALE &&
         x->bytes.zero_point == y->zero_point && y->low == low &&
         y->high == low + UINT8_MAX;
}

typedef struct work {
  et_cpu_pool_qs8 pool;
  et_cpu_pool_qs8_function *function;
  uint8_t *y;
} work;

static void run_part(void *data, size_t index) {
  const work *w = data;
  const et_cpu_pool_part part = et_cpu_pool_part_at(&w->pool.pool, index);
  const et_cpu_pool_row_i8 row = {w->pool.x.bytes.data + part.image, part.row,
                                  part.first, part.channels, w->y + part.out};
  w->function(&w->pool, &row);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_pool_qs8 pool = {et_cpu_read_pool(op),
                          {et_cpu_read_bytes(op, X, READING),
                           et_cpu_float_attribute(op, READING + 1)},
                          et_cpu_read_output_quantization(op, QUANTIZING),
                          false};
  pool.keeps_bytes = keeps_bytes(&pool.x, &pool.quantizing);
  work w = {pool, variants[run->isa], op->tensors[Y]->data};
  et_cpu_for_each(run, et_cpu_pool_parts(op), run_part, &w);
}

static const et_cpu_op_type op_type = {"pool_qs8", check, run, 0, NULL};
const et_backend_part et_cpu_op_pool_qs8 = {ET_CPU_OP_POOL_QS8, &op_type};
