/* Op quantize: y = clamp(round(x / scale) + zero_point, low, high). */
#include "backends/cpu/schema/quantize.h"

#include "backends/cpu/microkernels/qs8.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/quantized.h"

static et_cpu_quantize_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_quantize);

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_quantize_args args = et_cpu_quantize_args_of(op);
  ET_RETURN_IF_ERROR(et_cpu_check_output_quantization(
      op, args.y, &args.attributes.output_quantization, error));
  return et_cpu_check_elements(op, args.x, (int64_t)args.y->numel, error);
}

typedef struct work {
  et_cpu_output_quantization output_quantization;
  et_cpu_quantize_function *function;
  const float *x;
  uint8_t *y;
  size_t count;
} work;

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * ET_CPU_QS8_CHUNK;
  w->function(&w->output_quantization, w->x + first, w->y + first,
              et_cpu_part(w->count, ET_CPU_QS8_CHUNK, index));
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_quantize_args args = et_cpu_quantize_args_of(op);
  work w = {args.attributes.output_quantization, variants[run->isa],
            args.x->data, args.y->data, args.y->numel};
  et_cpu_for_each(run, et_cpu_parts(w.count, ET_CPU_QS8_CHUNK), run_chunk, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_quantize_schema, check, run};
const et_backend_part et_cpu_op_quantize = {ET_CPU_OP_QUANTIZE, &op_type};
