/* Op arange: y[i] = start + i * step. */
#include "backends/cpu/schema/arange.h"

static void fill_int64(int64_t *y, size_t count, int64_t start, int64_t step) {
  for (size_t i = 0; i < count; i++) {
    y[i] = start + (int64_t)i * step;
  }
}

/* Values that int32 cannot represent wrap around, as in PyTorch. */
static void fill_int32(uint32_t *y, size_t count, uint32_t start,
                       uint32_t step) {
  for (size_t i = 0; i < count; i++) {
    y[i] = start + (uint32_t)i * step;
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  (void)run;
  const et_cpu_arange_args args = et_cpu_arange_args_of(op);
  const et_cpu_tensor *y = args.y;
  const int32_t start = *args.start;
  const int32_t step = args.attributes.step;
  if (y->dtype == ET_SCALAR_TYPE_INT64) {
    fill_int64(y->data, y->numel, start, step);
  } else {
    fill_int32(y->data, y->numel, (uint32_t)start, (uint32_t)step);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_arange_schema, NULL, run};
const et_backend_part et_cpu_op_arange = {ET_CPU_OP_ARANGE, &op_type};
