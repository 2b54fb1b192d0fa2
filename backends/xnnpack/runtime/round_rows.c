/* Op round_rows: quantizes rows dynamically to int8 and dequantizes them. */
#include "backends/cpu/schema/round_rows.h"

#include <math.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_round_rows_args args = et_cpu_round_rows_args_of(op);
  ET_CPU_CHECK(error, args.attributes.row_dims <= args.x->rank,
               "round_rows: rows have %d dims, but tensors have %d",
               (int)args.attributes.row_dims, (int)args.x->rank);
  return et_cpu_check_alike(op, args.y, args.x, error);
}

typedef struct work {
  const float *x;
  float *y;
  size_t row;
  bool is_half;
} work;

/* int8 quantization of a row. Zero is represented exactly. */
typedef struct row_quantization {
  float inverse; /* 1 / scale */
  float scale;
  float zero_point;
} row_quantization;

/* Rounds to float16. */
static float half_of(float number) {
  const float max = 65504.0f;
  int exponent = 0;
  const float bounded = number > max ? max : number;
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

static row_quantization quantization_of(const float *x, size_t count,
                                        bool is_half) {
  float low = 0.0f;
  float high = 0.0f;
  for (size_t i = 0; i < count; i++) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  const float inverse = low == high ? 1.0f : 255.0f / (high - low);
  return (row_quantization){is_half ? half_of(inverse) : inverse,
                            1.0f / inverse,
                            zero_point_of(low * inverse, high * inverse)};
}

static float rounded(const row_quantization *row, float x) {
  const float value = rintf(x * row->inverse) + row->zero_point;
  const float bounded = value < -128.0f  ? -128.0f
                        : value > 127.0f ? 127.0f
                                         : value;
  return (bounded - row->zero_point) * row->scale;
}

static void run_row(void *data, size_t index) {
  const work *w = data;
  const float *x = w->x + index * w->row;
  const row_quantization row = quantization_of(x, w->row, w->is_half);
  for (size_t i = 0; i < w->row; i++) {
    w->y[index * w->row + i] = rounded(&row, x[i]);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_round_rows_args args = et_cpu_round_rows_args_of(op);
  const et_cpu_tensor *x = args.x;
  if (x->numel == 0) {
    return;
  }
  work w = {.x = x->data,
            .y = args.y->data,
            .row = 1,
            .is_half = args.attributes.half};
  for (int32_t i = 1; i <= args.attributes.row_dims; i++) {
    w.row *= (size_t)x->sizes[x->rank - i];
  }
  et_cpu_for_each(run, x->numel / w.row, run_row, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_round_rows_schema, check, run};
const et_backend_part et_xnn_op_round_rows = {0, &op_type};
