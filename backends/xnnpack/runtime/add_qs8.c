/* Op add_qs8: quantized addition in fixed point, as XNNPACK computes it. */
#include "backends/cpu/schema/add_qs8.h"

#include "backends/cpu/microkernels/qs8.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

static et_cpu_add_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_add_qs8);

#define CHUNK 16384

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_add_qs8_args args = et_cpu_add_qs8_args_of(op);
  const et_cpu_tensor *inputs[] = {args.a, args.b};
  for (size_t i = 0; i < 2; i++) {
    ET_RETURN_IF_ERROR(et_cpu_check_dtype(
        op, inputs[i], (et_scalar_type)args.y->dtype, error));
    ET_RETURN_IF_ERROR(
        et_cpu_check_elements(op, inputs[i], (int64_t)args.y->numel, error));
  }
  return ET_STATUS_OK;
}

typedef struct work {
  et_cpu_add_qs8 shares;
  et_cpu_add_qs8_function *function;
  const uint8_t *a;
  const uint8_t *b;
  uint8_t *y;
  size_t count;
} work;

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * CHUNK;
  w->function(&w->shares, w->a + first, w->b + first, w->y + first,
              et_cpu_part(w->count, CHUNK, index));
}

/* The accumulator starts with the rounding term minus the contributions of the zero points. */
static et_cpu_add_qs8 add_of(const et_cpu_add_qs8_args *args) {
  const et_cpu_add_qs8_attributes *a = &args->attributes;
  return (et_cpu_add_qs8){.factors = {a->factors[0], a->factors[1]},
                          .start = (1 << (a->shift - 1)) -
                                   a->factors[0] * a->zero_points[0] -
                                   a->factors[1] * a->zero_points[1],
                          .shift = a->shift,
                          .zero_point = a->zero_point,
                          .low = a->low,
                          .high = a->high,
                          .is_signed = args->y->dtype == ET_SCALAR_TYPE_INT8};
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_add_qs8_args args = et_cpu_add_qs8_args_of(op);
  work w = {.shares = add_of(&args),
            .function = variants[run->isa],
            .a = args.a->data,
            .b = args.b->data,
            .y = args.y->data,
            .count = args.y->numel};
  et_cpu_for_each(run, et_cpu_parts(w.count, CHUNK), run_chunk, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_add_qs8_schema, check, run};
const et_backend_part et_xnn_op_add_qs8 = {0, &op_type};
