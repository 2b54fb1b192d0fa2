/* Step range: whole numbers that go up or down evenly from one that the call
 * says; a single one is a size as a tensor. */
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/kinds.h"

enum { Y };
enum { STEP, WORDS };

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {.outputs = 1, .dims = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  const uint8_t dtype = step->tensors[Y]->dtype;
  ET_CPU_CHECK(error,
               dtype == ET_SCALAR_TYPE_INT64 || dtype == ET_SCALAR_TYPE_INT32,
               "range: the output is %s, expected int64 or int32",
               et_scalar_type_name(dtype));
  return et_cpu_check_tensor(step, Y, (et_scalar_type)dtype, 1, error);
}

/* What does not fit an int32 wraps around, as PyTorch's numbers do. */
static void run(const et_cpu_step *step, const et_cpu_run *run) {
  (void)run;
  const et_cpu_tensor *y = step->tensors[Y];
  int64_t number = *step->dims[0];
  for (size_t i = 0; i < y->numel; i++) {
    if (y->dtype == ET_SCALAR_TYPE_INT64) {
      ((int64_t *)y->data)[i] = number;
    } else {
      ((uint32_t *)y->data)[i] = (uint32_t)(uint64_t)number;
    }
    number += et_cpu_attribute(step, STEP);
  }
}

static const et_cpu_kind kind = {"range", check, run, 0};
const et_backend_part et_cpu_step_range = {ET_CPU_KIND_RANGE, &kind};
