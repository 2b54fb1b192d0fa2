/* Op arange: whole numbers that go up or down evenly from one that the call
 * says; a single one is a size as a tensor. */
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/op_codes.h"

enum { Y };
enum { STEP, WORDS };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.outputs = 1, .dims = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  const uint8_t dtype = op->tensors[Y]->dtype;
  ET_CPU_CHECK(error,
               dtype == ET_SCALAR_TYPE_INT64 || dtype == ET_SCALAR_TYPE_INT32,
               "arange: the output is %s, expected int64 or int32",
               et_scalar_type_name(dtype));
  return et_cpu_check_tensor(op, Y, (et_scalar_type)dtype, 1, error);
}

/* What does not fit an int32 wraps around, as PyTorch's numbers do. */
static void run(const et_cpu_op *op, const et_cpu_run *run) {
  (void)run;
  const et_cpu_tensor *y = op->tensors[Y];
  int64_t number = *op->dims[0];
  for (size_t i = 0; i < y->numel; i++) {
    if (y->dtype == ET_SCALAR_TYPE_INT64) {
      ((int64_t *)y->data)[i] = number;
    } else {
      ((uint32_t *)y->data)[i] = (uint32_t)(uint64_t)number;
    }
    number += et_cpu_attribute(op, STEP);
  }
}

static const et_cpu_op_type op_type = {"arange", check, run, 0, NULL};
const et_backend_part et_cpu_op_arange = {ET_CPU_OP_ARANGE, &op_type};
