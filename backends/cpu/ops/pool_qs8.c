/* Op pool_qs8: average or maximum over windows of a quantized image, or over the whole image. */
#include "backends/cpu/schema/pool_qs8.h"

#include <math.h>

#include "backends/cpu/microkernels/pool_qs8.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/quantized.h"
#include "backends/cpu/ops/window.h"

static et_cpu_pool_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_pool_qs8);

/* Maximum number of elements of a window. MAX_PIXELS * 256 <= INT32_MAX, so the sum of their
 * differences from the zero point fits in int32. */
#define MAX_PIXELS (INT32_MAX / 256)

/* Returns the arguments shared by both kinds of pooling. */
static et_cpu_pool_f32_args pool_args_of(const et_cpu_pool_qs8_args *args) {
  return (et_cpu_pool_f32_args){
      .x = args->x, .y = args->y, .attributes = args->attributes.pool};
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_pool_qs8_args args = et_cpu_pool_qs8_args_of(op);
  const et_cpu_pool_f32_args pool = pool_args_of(&args);
  ET_RETURN_IF_ERROR(et_cpu_check_pool(op, &pool, error));
  const int32_t *in = args.x->sizes;
  ET_CPU_CHECK(error, (int64_t)in[1] * in[2] <= MAX_PIXELS,
               "pool_qs8: images of %d x %d pixels are too large", (int)in[1],
               (int)in[2]);
  ET_RETURN_IF_ERROR(et_cpu_check_quantized_value(
      op, args.x, args.attributes.params.zero_point, error));
  return et_cpu_check_output_quantization(
      op, args.y, &args.attributes.output_quantization, error);
}

/* Maximum relative difference of the scales of x and y for which maxima keep their quantized
 * values. A value differs from its zero point by at most 255. If the scales differ by at most
 * 0.1 %, requantization moves the value by at most 0.255, so it rounds to itself. */
#define SAME_SCALE 1e-3f

static bool keeps_values(const et_cpu_scaled_qs8 *x,
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
  const et_cpu_pool_qs8_args args = et_cpu_pool_qs8_args_of(op);
  const et_cpu_pool_f32_args pool = pool_args_of(&args);
  const et_cpu_quant_params params = args.attributes.params;
  work w = {
      .pool = {.pool = et_cpu_pool_of(&pool),
               .x = {et_cpu_qs8_of(args.x, params.zero_point), params.scale},
               .output_quantization = args.attributes.output_quantization},
      .function = variants[run->isa],
      .y = args.y->data};
  w.pool.keeps_values = keeps_values(&w.pool.x, &w.pool.output_quantization);
  et_cpu_for_each(run, et_cpu_pool_parts(args.y), run_part, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_pool_qs8_schema, check, run};
const et_backend_part et_cpu_op_pool_qs8 = {ET_CPU_OP_POOL_QS8, &op_type};
