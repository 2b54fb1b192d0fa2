#include "backends/cpu/runtime/testing/cpu_test_ops.h"

static et_status check_shift(const et_cpu_op *op, et_error *error) {
  if (op->input_count != 1 || op->output_count != 1 ||
      op->attribute_count != 1 ||
      op->tensors[0]->dtype != ET_SCALAR_TYPE_FLOAT32 ||
      op->tensors[1]->dtype != ET_SCALAR_TYPE_FLOAT32 ||
      op->tensors[0]->numel != op->tensors[1]->numel) {
    return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "shift: x and y are float32 of one size");
  }
  return ET_STATUS_OK;
}

static void run_shift(const et_cpu_op *op, const et_cpu_run *run) {
  const float *x = op->tensors[0]->data;
  float *y = op->tensors[1]->data;
  (void)run;
  for (size_t i = 0; i < op->tensors[0]->numel; i++) {
    y[i] = x[i] + (float)op->attributes[0];
  }
}

static et_status check_sum(const et_cpu_op *op, et_error *error) {
  if (op->input_count != 1 || op->output_count != 1 || op->dim_count != 1 ||
      op->tensors[1]->numel != 1 ||
      op->tensors[0]->dtype != ET_SCALAR_TYPE_FLOAT32 ||
      op->tensors[1]->dtype != ET_SCALAR_TYPE_FLOAT32) {
    return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "sum: x is float32 and y one of it");
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
  if (op->input_count != 1 || op->output_count != 1 ||
      op->tensors[0]->numel == 0 ||
      op->tensors[0]->dtype != ET_SCALAR_TYPE_FLOAT32 ||
      op->tensors[1]->dtype != ET_SCALAR_TYPE_FLOAT32) {
    return et_fail(error, ET_STATUS_DELEGATE_INCOMPATIBLE,
                   "first: x and y are float32");
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

static const et_cpu_op_type shift = {"shift", check_shift, run_shift, 1, NULL};
static const et_cpu_op_type sum = {"sum", check_sum, run_sum, 0, NULL};
static const et_cpu_op_type first = {"first", check_first, run_first, 1, NULL};
static const et_backend_part shift_part = {CPU_TEST_SHIFT, &shift};
static const et_backend_part sum_part = {CPU_TEST_SUM, &sum};
static const et_backend_part first_part = {CPU_TEST_FIRST, &first};

const et_backend_part *const cpu_test_parts[CPU_TEST_PARTS] = {
    &shift_part, &sum_part, &first_part};
