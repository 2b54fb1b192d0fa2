/* Op arange: y[i] = start + i * step. */
#include "backends/cpu/schema/arange.h"

/* Values that int32 cannot represent wrap around, as in PyTorch. */
static void run(const et_cpu_op *op, const et_cpu_run *run) {
  (void)run;
  const et_cpu_arange_args args = et_cpu_arange_args_of(op);
  const et_cpu_tensor *y = args.y;
  int64_t value = *args.start;
  for (size_t i = 0; i < y->numel; i++) {
    if (y->dtype == ET_SCALAR_TYPE_INT64) {
      ((int64_t *)y->data)[i] = value;
    } else {
      ((uint32_t *)y->data)[i] = (uint32_t)(uint64_t)value;
    }
    value += args.attributes.step;
  }
}

static const et_cpu_op_type op_type = {&et_cpu_arange_schema, NULL, run};
const et_backend_part et_cpu_op_arange = {ET_CPU_OP_ARANGE, &op_type};
