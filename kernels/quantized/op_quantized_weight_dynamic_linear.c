#include <float.h>
#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/scratch.h"
#include "executorch/number_text.h"
#include "kernels/quantized/low_bit.h"
#include "kernels/quantized/quantize.h"

/* Parameters of dynamic int8 quantization. */
typedef struct quantization {
  float scale;
  float zero_point;
} quantization;

/* Dynamically quantized input rows, as q - zero_point, and their scales. */
typedef struct quantized_rows {
  int16_t *steps; /* [ET_LOW_BIT_ROWS, columns] */
  float scales[ET_LOW_BIT_ROWS];
  const quantization *whole; /* shared by all rows; NULL: one per row */
} quantized_rows;

static void load_row(const et_low_bit_linear *linear, size_t row, size_t start,
                     size_t count, et_chunk *chunk) {
  const size_t size = et_scalar_type_size((int32_t)linear->input->dtype);
  et_load_run(ET_COMPUTE_FLOAT32, linear->input->dtype,
              (const uint8_t *)linear->input->data +
                  (row * linear->weight.columns + start) * size,
              (ptrdiff_t)size, count, chunk);
}

static void take_row(const et_low_bit_linear *linear, size_t row,
                     et_range *range) {
  for (size_t start = 0; start < linear->weight.columns; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t rest = linear->weight.columns - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    load_row(linear, row, start, n, &chunk);
    et_range_take(range, chunk.float32, n);
  }
}

/* Returns the parameters for `count` rows from `first`. The scale is at least
 * `eps`. The range includes 0. */
static quantization quantization_of(const et_low_bit_linear *linear,
                                    size_t first, size_t count, float eps) {
  et_range range = {0.0f, 0.0f};
  for (size_t row = first; row < first + count; row++) {
    take_row(linear, row, &range);
  }
  const float whole = (range.high - range.low) / 255.0f;
  const float scale = whole > eps ? whole : eps;
  return (quantization){scale,
                        fminf(-128.0f - rintf(range.low / scale), 127.0f)};
}

static void quantize_row(const et_low_bit_linear *linear, size_t row,
                         quantization q, int16_t *steps) {
  const float inverse = 1.0f / q.scale;
  for (size_t start = 0; start < linear->weight.columns; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t rest = linear->weight.columns - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    load_row(linear, row, start, n, &chunk);
    for (size_t i = 0; i < n; i++) {
      const float code = rintf(chunk.float32[i] * inverse) + q.zero_point;
      steps[start + i] =
          (int16_t)(fminf(fmaxf(code, -128.0f), 127.0f) - q.zero_point);
    }
  }
}

/* Returns the dot product of `count` elements of one group. */
static float multiply_group(const int16_t *steps, const int16_t *quantized,
                            size_t count, et_low_bit_group group) {
  int32_t products = 0;
  int32_t total = 0;
  for (size_t i = 0; i < count; i++) {
    products += (int32_t)steps[i] * quantized[i];
    total += steps[i];
  }
  return group.scale * ((float)products - group.zero_point * (float)total);
}

/* Multiplies one weight row by `count` input rows. */
static void multiply(const et_low_bit_linear *linear,
                     const quantized_rows *rows, size_t count, size_t column,
                     float *accumulators) {
  const et_low_bit *weight = &linear->weight;
  for (size_t start = 0; start < weight->columns; start += ET_CHUNK) {
    int16_t quantized[ET_CHUNK];
    const size_t rest = weight->columns - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_low_bit_values(weight, column, start, n, quantized);
    for (size_t i = 0; i < n;) {
      const et_low_bit_group group =
          et_low_bit_group_of(weight, column, (start + i) / weight->group);
      const size_t end = et_low_bit_group_end(weight, start + i) - start;
      const size_t taken = (end < n ? end : n) - i;
      for (size_t r = 0; r < count; r++) {
        const int16_t *steps = rows->steps + r * weight->columns + start + i;
        accumulators[r] += multiply_group(steps, quantized + i, taken, group);
      }
      i += taken;
    }
  }
}

static void run_rows(const et_low_bit_linear *linear, quantized_rows *rows,
                     size_t first, size_t count) {
  for (size_t r = 0; r < count; r++) {
    const quantization q =
        rows->whole == NULL ? quantization_of(linear, first + r, 1, FLT_EPSILON)
                            : *rows->whole;
    quantize_row(linear, first + r, q,
                 rows->steps + r * linear->weight.columns);
    rows->scales[r] = q.scale;
  }
  for (size_t column = 0; column < linear->weight.rows; column++) {
    float accumulators[ET_LOW_BIT_ROWS] = {0};
    multiply(linear, rows, count, column, accumulators);
    for (size_t r = 0; r < count; r++) {
      accumulators[r] *= rows->scales[r];
    }
    et_low_bit_linear_store(linear, first, count, column, accumulators);
  }
}

et_status et_op_quantized_weight_dynamic_linear_prepare(
    et_prepare_context *context, et_value *const *args, void **out_state) {
  const et_tensor *input = args[0]->u.as_tensor;
  (void)out_state;
  context->scratch_bytes =
      ET_DYNAMIC_LINEAR_SCRATCH((size_t)input->sizes[input->rank - 1]);
  return ET_STATUS_OK;
}

static void run_linear(const et_low_bit_linear *linear, quantized_rows *rows) {
  for (size_t first = 0; first < linear->rows; first += ET_LOW_BIT_ROWS) {
    const size_t rest = linear->rows - first;
    run_rows(linear, rows, first,
             rest < ET_LOW_BIT_ROWS ? rest : ET_LOW_BIT_ROWS);
  }
}

et_status et_op_quantized_weight_dynamic_linear_out(et_kernel_context *context,
                                                    et_value **args) {
  et_low_bit_linear linear;
  quantized_rows rows = {(int16_t *)(void *)context->scratch.data, {0}, NULL};
  ET_RETURN_IF_ERROR(
      et_low_bit_linear_read(context, "low-bit dynamic linear", args,
                             ET_LOW_BIT_ZERO_POINTS, et_arg_tensor(args[4]),
                             args[5]->u.as_int, args[6]->u.as_tensor, &linear));
  run_linear(&linear, &rows);
  return ET_STATUS_OK;
}

et_status et_op_quantized_weight_dynamic_linear_per_tensor_out(
    et_kernel_context *context, et_value **args) {
  et_low_bit_linear linear;
  ET_RETURN_IF_ERROR(
      et_low_bit_linear_read(context, "low-bit dynamic linear", args,
                             ET_LOW_BIT_ZERO_POINTS, et_arg_tensor(args[4]),
                             args[5]->u.as_int, args[7]->u.as_tensor, &linear));
  const double eps = et_scalar_to_double(args[6]);
  ET_CHECK(context, eps > 0.0, "%s: the minimum scale %s is not positive",
           linear.what, ET_NUMBER_TEXT(eps));
  const quantization whole =
      quantization_of(&linear, 0, linear.rows, (float)eps);
  quantized_rows rows = {(int16_t *)(void *)context->scratch.data, {0}, &whole};
  run_linear(&linear, &rows);
  return ET_STATUS_OK;
}
