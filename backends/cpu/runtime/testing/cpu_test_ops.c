#include "backends/cpu/runtime/testing/cpu_session.h"

#include "backends/cpu/ops/op_schema.h"

size_t cpu_test_runs;

static et_status check_shift(const et_cpu_op *op, et_error *error) {
  if (op->tensors[0]->numel != op->tensors[1]->numel) {
    return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "shift: x and y have different sizes");
  }
  return ET_STATUS_OK;
}

static void run_shift(const et_cpu_op *op, const et_cpu_run *run) {
  const float *x = op->tensors[0]->data;
  float *y = op->tensors[1]->data;
  (void)run;
  cpu_test_runs++;
  for (size_t i = 0; i < op->tensors[0]->numel; i++) {
    y[i] = x[i] + (float)op->attributes[0];
  }
}

static et_status check_sum(const et_cpu_op *op, et_error *error) {
  if (op->tensors[1]->numel != 1) {
    return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "sum: y does not have one element");
  }
  return ET_STATUS_OK;
}

static void run_sum(const et_cpu_op *op, const et_cpu_run *run) {
  const float *x = op->tensors[0]->data;
  float sum = (float)*op->dims[0];
  (void)run;
  for (size_t i = 0; i < op->tensors[0]->numel; i++) {
    sum += x[i];
  }
  *(float *)op->tensors[1]->data = sum;
}

static et_status check_first(const et_cpu_op *op, et_error *error) {
  if (op->tensors[0]->numel == 0) {
    return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE, "first: x is empty");
  }
  return ET_STATUS_OK;
}

static void run_first(const et_cpu_op *op, const et_cpu_run *run) {
  const float *x = op->tensors[0]->data;
  float *y = op->tensors[1]->data;
  (void)run;
  for (size_t i = 0; i < op->tensors[1]->numel; i++) {
    y[i] = x[0];
  }
}

static et_status check_bounded(const et_cpu_op *op, et_error *error) {
  for (size_t i = 0; i < op->dim_count; i++) {
    if (*op->dims[i] >= CPU_TEST_BOUND) {
      return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                     "bounded: dim %zu is %d", i, (int)*op->dims[i]);
    }
  }
  return ET_STATUS_OK;
}

static const et_cpu_tensor_rule floats[] = {
    {1u << ET_SCALAR_TYPE_FLOAT32, 0, ET_CPU_MAX_RANK},
    {1u << ET_SCALAR_TYPE_FLOAT32, 0, ET_CPU_MAX_RANK},
};
static const uint8_t any_word[] = {ET_CPU_RANGE_ANY};
static const et_cpu_op_schema shift_schema = {
    .name = "shift",
    .tensors = floats,
    .ranges = any_word,
    .inputs = {1, 1},
    .outputs = {1, 1},
    .input_rules = 1,
    .output_rules = 1,
    .words = 1,
    .in_place = 1,
};
static const et_cpu_op_schema sum_schema = {
    .name = "sum",
    .tensors = floats,
    .inputs = {1, 1},
    .outputs = {1, 1},
    .input_rules = 1,
    .output_rules = 1,
    .dims = 1,
};
static const et_cpu_op_schema first_schema = {
    .name = "first",
    .tensors = floats,
    .inputs = {1, 1},
    .outputs = {1, 1},
    .input_rules = 1,
    .output_rules = 1,
    .in_place = 1,
};
static const et_cpu_op_schema bounded_schema = {
    .name = "bounded",
    .tensors = floats,
    .inputs = {1, 1},
    .outputs = {1, 1},
    .input_rules = 1,
    .output_rules = 1,
    .dims = ET_CPU_ANY_DIMS,
};
static const et_cpu_op_type shift = {&shift_schema, check_shift, run_shift};
static const et_cpu_op_type sum = {&sum_schema, check_sum, run_sum};
static const et_cpu_op_type first = {&first_schema, check_first, run_first};
static const et_cpu_op_type bounded = {&bounded_schema, check_bounded,
                                       run_first};
static const et_backend_part shift_part = {CPU_TEST_SHIFT, &shift};
static const et_backend_part sum_part = {CPU_TEST_SUM, &sum};
static const et_backend_part first_part = {CPU_TEST_FIRST, &first};
static const et_backend_part bounded_part = {CPU_TEST_BOUNDED, &bounded};

const et_backend_part *const cpu_test_parts[CPU_TEST_PARTS] = {
    &shift_part, &sum_part, &first_part, &bounded_part};
