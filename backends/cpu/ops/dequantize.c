/* Op dequantize: y = (x - zero_point) * scale. */
#include "backends/cpu/schema/dequantize.h"

#include "backends/cpu/microkernels/qs8.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/quantized.h"

static et_cpu_dequantize_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_dequantize);

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_dequantize_args args = et_cpu_dequantize_args_of(op);
  ET_RETURN_IF_ERROR(et_cpu_check_quantized_value(
      op, args.x, args.attributes.params.zero_point, error));
  return et_cpu_check_elements(op, args.y, (int64_t)args.x->numel, error);
}

typedef struct work {
  et_cpu_scaled_qs8 x;
  et_cpu_dequantize_function *function;
  float *y;
  size_t count;
} work;

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * ET_CPU_QS8_CHUNK;
  et_cpu_scaled_qs8 x = w->x;
  x.bytes.data += first;
  w->function(&x, w->y + first, et_cpu_part(w->count, ET_CPU_QS8_CHUNK, index));
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_dequantize_args args = et_cpu_dequantize_args_of(op);
  const et_cpu_quant_params params = args.attributes.params;
  work w = {{et_cpu_qs8_of(args.x, params.zero_point), params.scale},
            variants[run->isa],
            args.y->data,
            args.y->numel};
  et_cpu_for_each(run, et_cpu_parts(w.count, ET_CPU_QS8_CHUNK), run_chunk, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_dequantize_schema, check, run};
const et_backend_part et_cpu_op_dequantize = {ET_CPU_OP_DEQUANTIZE, &op_type};
