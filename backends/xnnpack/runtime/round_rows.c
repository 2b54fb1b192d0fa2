/* Op round_rows: what becomes of numbers that are made bytes row by row. */
#include <math.h>
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/xnnpack/runtime/ops.h"

enum { X, Y };
enum { ROW_DIMS, HALF, WORDS };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 1, .inputs_most = 1, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  const uint8_t rank = op->tensors[X]->rank;
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, X, ET_SCALAR_TYPE_FLOAT32, rank, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, ROW_DIMS, 1, rank, error));
  return et_cpu_check_same(op, Y, X, error);
}

typedef struct work {
  const float *x;
  float *y;
  size_t row;
  bool is_half;
} work;

/* How a row becomes bytes: -128 to 127, one of which is zero. */
typedef struct row_bytes {
  float inverse; /* by which numbers are multiplied */
  float step;    /* between two int8 values */
  float zero_point;
} row_bytes;

/* The nearest number with eleven bits. */
static float half_of(float number) {
  const float most = 65504.0f;
  int exponent = 0;
  const float bounded = number > most ? most : number;
  frexpf(bounded, &exponent);
  const int last = exponent - 11 < -24 ? -24 : exponent - 11;
  return ldexpf(rintf(ldexpf(bounded, -last)), last);
}

static float zero_point_of(float low, float high) {
  const float below = -128.0f - low;
  const float above = 127.0f - high;
  const float point = (low - 128.0f) + (high + 127.0f) > 0.0f ? below : above;
  return rintf(point < -128.0f ? -128.0f : point > 127.0f ? 127.0f : point);
}

static row_bytes bytes_of(const float *x, size_t count, bool is_half) {
  float low = 0.0f;
  float high = 0.0f;
  for (size_t i = 0; i < count; i++) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  const float scale = low == high ? 1.0f : 255.0f / (high - low);
  return (row_bytes){is_half ? half_of(scale) : scale, 1.0f / scale,
                     zero_point_of(low * scale, high * scale)};
}

static float rounded(const row_bytes *row, float x) {
  const float byte = rintf(x * row->inverse) + row->zero_point;
  const float bounded = byte < -128.0f  ? -128.0f
                        : byte > 127.0f ? 127.0f
                                        : byte;
  return (bounded - row->zero_point) * row->step;
}

static void run_row(void *data, size_t index) {
  const work *w = data;
  const float *x = w->x + index * w->row;
  const row_bytes row = bytes_of(x, w->row, w->is_half);
  for (size_t i = 0; i < w->row; i++) {
    w->y[index * w->row + i] = rounded(&row, x[i]);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *x = op->tensors[X];
  if (x->numel == 0) {
    return;
  }
  work w = {.x = x->data,
            .y = op->tensors[Y]->data,
            .row = 1,
            .is_half = op->attributes[HALF] != 0};
  for (uint32_t i = 1; i <= op->attributes[ROW_DIMS]; i++) {
    w.row *= (size_t)x->sizes[x->rank - i];
  }
  et_cpu_for_each(run, x->numel / w.row, run_row, &w);
}

static const et_cpu_op_type op_type = {"round_rows", check, run, 0, NULL};
const et_backend_part et_xnn_op_round_rows = {0, &op_type};
