/* Op add_bytes: sums of the numbers behind two tensors of bytes, as bytes, in whole
 * numbers: each is multiplied by its share of 2^shift, and sums are rounded up from
 * the half. */
#include "backends/cpu/microkernels/add_qs8.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/xnnpack/runtime/ops.h"

static et_cpu_add_shares_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_add_shares);

enum { A, B, Y };
enum { FACTOR_A, FACTOR_B, ZERO_A, ZERO_B, SHIFT, ZERO_Y, LOW, HIGH, WORDS };

#define CHUNK 16384
#define MOST_FACTOR (1 << 21)

static et_status check_numbers(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, FACTOR_A, -MOST_FACTOR, MOST_FACTOR, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, FACTOR_B, -MOST_FACTOR, MOST_FACTOR, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, SHIFT, 1, 30, error));
  for (size_t i = ZERO_A; i < WORDS; i++) {
    ET_RETURN_IF_ERROR(
        et_cpu_check_attribute(op, i, INT8_MIN, UINT8_MAX, error));
  }
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = Y, .inputs_most = Y, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  const et_cpu_tensor *y = op->tensors[Y];
  ET_CPU_CHECK(
      error,
      y->dtype == ET_SCALAR_TYPE_INT8 || y->dtype == ET_SCALAR_TYPE_UINT8,
      "add_bytes: the output is %s, expected int8 or uint8",
      et_scalar_type_name(y->dtype));
  for (size_t i = A; i <= B; i++) {
    ET_RETURN_IF_ERROR(et_cpu_check_numel(op, i, (et_scalar_type)y->dtype,
                                          (int64_t)y->numel, error));
  }
  return check_numbers(op, error);
}

typedef struct work {
  et_cpu_add_qs8 shares;
  et_cpu_add_shares_function *function;
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

/* Sums begin with half of 2^shift, less what zero points make. */
static et_cpu_add_qs8 shares_of(const et_cpu_op *op) {
  int32_t words[WORDS];
  for (size_t i = 0; i < WORDS; i++) {
    words[i] = (int32_t)et_cpu_attribute(op, i);
  }
  return (et_cpu_add_qs8){
      .factors = {words[FACTOR_A], words[FACTOR_B]},
      .start = (1 << (words[SHIFT] - 1)) - words[FACTOR_A] * words[ZERO_A] -
               words[FACTOR_B] * words[ZERO_B],
      .shift = words[SHIFT],
      .zero_point = words[ZERO_Y],
      .low = words[LOW],
      .high = words[HIGH],
      .is_signed = op->tensors[Y]->dtype == ET_SCALAR_TYPE_INT8};
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {.shares = shares_of(op),
            .function = variants[run->isa],
            .a = op->tensors[A]->data,
            .b = op->tensors[B]->data,
            .y = op->tensors[Y]->data,
            .count = op->tensors[Y]->numel};
  et_cpu_for_each(run, et_cpu_parts(w.count, CHUNK), run_chunk, &w);
}

static const et_cpu_op_type op_type = {"add_bytes", check, run, 0, NULL};
const et_backend_part et_xnn_op_add_qs8 = {0, &op_type};
