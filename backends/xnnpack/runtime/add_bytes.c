/* Step add_bytes: sums of the numbers behind two tensors of bytes, as bytes, in whole
 * numbers: each is multiplied by its share of 2^shift, and sums are rounded up from
 * the half. */
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/xnnpack/runtime/steps.h"

enum { A, B, Y };
enum { FACTOR_A, FACTOR_B, ZERO_A, ZERO_B, SHIFT, ZERO_Y, LOW, HIGH, WORDS };

#define CHUNK 16384
#define MOST_FACTOR (1 << 21)

static et_status check_numbers(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(step, FACTOR_A, -MOST_FACTOR, MOST_FACTOR, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(step, FACTOR_B, -MOST_FACTOR, MOST_FACTOR, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, SHIFT, 1, 30, error));
  for (size_t i = ZERO_A; i < WORDS; i++) {
    ET_RETURN_IF_ERROR(
        et_cpu_check_attribute(step, i, INT8_MIN, UINT8_MAX, error));
  }
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = Y, .inputs_most = Y, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  const et_cpu_tensor *y = step->tensors[Y];
  ET_CPU_CHECK(
      error,
      y->dtype == ET_SCALAR_TYPE_INT8 || y->dtype == ET_SCALAR_TYPE_UINT8,
      "add_bytes: the output is %s, expected int8 or uint8",
      et_scalar_type_name(y->dtype));
  for (size_t i = A; i <= B; i++) {
    ET_RETURN_IF_ERROR(et_cpu_check_numel(step, i, (et_scalar_type)y->dtype,
                                          (int64_t)y->numel, error));
  }
  return check_numbers(step, error);
}

typedef struct work {
  const uint8_t *a;
  const uint8_t *b;
  uint8_t *y;
  size_t count;
  int32_t factors[2];
  int32_t start; /* of sums: half of 2^shift, less what zero points make */
  int32_t shift;
  int32_t zero_point;
  int32_t low;
  int32_t high;
  uint8_t sign; /* of int8, as unsigned bytes with it turned */
} work;

static int32_t sum_at(const work *w, size_t i) {
  const int32_t offset = w->sign;
  return w->start + w->factors[0] * ((w->a[i] ^ w->sign) - offset) +
         w->factors[1] * ((w->b[i] ^ w->sign) - offset);
}

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * CHUNK;
  const size_t end = first + et_cpu_part(w->count, CHUNK, index);
  for (size_t i = first; i < end; i++) {
    const int32_t sum = (sum_at(w, i) >> w->shift) + w->zero_point;
    const int32_t least = sum < w->low ? w->low : sum;
    w->y[i] = (uint8_t)(least > w->high ? w->high : least);
  }
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *y = step->tensors[Y];
  int32_t words[WORDS];
  for (size_t i = 0; i < WORDS; i++) {
    words[i] = (int32_t)et_cpu_attribute(step, i);
  }
  work w = {.a = step->tensors[A]->data,
            .b = step->tensors[B]->data,
            .y = y->data,
            .count = y->numel,
            .factors = {words[FACTOR_A], words[FACTOR_B]},
            .start = (1 << (words[SHIFT] - 1)) -
                     words[FACTOR_A] * words[ZERO_A] -
                     words[FACTOR_B] * words[ZERO_B],
            .shift = words[SHIFT],
            .zero_point = words[ZERO_Y],
            .low = words[LOW],
            .high = words[HIGH],
            .sign = y->dtype == ET_SCALAR_TYPE_INT8 ? 128 : 0};
  et_cpu_for_each(run, et_cpu_parts(w.count, CHUNK), run_chunk, &w);
}

static const et_cpu_kind kind = {"add_bytes", check, run, 0};
const et_backend_part et_xnn_step_add_bytes = {0, &kind};
