#include "kernels/quantized/low_bit.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"

/* Independent accumulators, so that loops vectorize. */
#define LANES 16

static et_status check_linear(et_kernel_context *context,
                              const et_low_bit_linear *linear) {
  const et_tensor *input = linear->input;
  const et_tensor *bias = linear->bias;
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, linear->what, input, 1, ET_MAX_RANK));
  ET_CHECK(context,
           (size_t)input->sizes[input->rank - 1] == linear->weight.columns,
           "%s: input has %d features, weight needs %zu", linear->what,
           (int)input->sizes[input->rank - 1], linear->weight.columns);
  ET_CHECK(context,
           bias == NULL || (bias->rank == 1 &&
                            (size_t)bias->sizes[0] == linear->weight.rows),
           "%s: bias must have one dimension of %zu elements", linear->what,
           linear->weight.rows);
  return ET_STATUS_OK;
}

et_status et_low_bit_linear_read(et_kernel_context *context, const char *what,
                                 et_value *const *args, et_low_bit_shift shift,
                                 const et_tensor *bias, int64_t bits,
                                 et_tensor *out, et_low_bit_linear *linear) {
  int32_t sizes[ET_MAX_RANK];
  const et_tensor *input = args[0]->u.as_tensor;
  *linear = (et_low_bit_linear){
      .what = what, .input = input, .bias = bias, .out = out, .rows = 1};
  ET_RETURN_IF_ERROR(
      et_low_bit_read(context, what, &args[1], shift, bits, &linear->weight));
  ET_RETURN_IF_ERROR(check_linear(context, linear));
  for (size_t d = 0; d + 1 < input->rank; d++) {
    sizes[d] = input->sizes[d];
    linear->rows *= (size_t)input->sizes[d];
  }
  sizes[input->rank - 1] = args[1]->u.as_tensor->sizes[0];
  return et_tensor_resize(out, sizes, input->rank, context->error);
}

/* Returns `count` elements of an input row as floats. If they need conversion,
 * they are stored in `chunk`. */
static const float *input_at(const et_low_bit_linear *linear, size_t row,
                             size_t start, size_t count, et_chunk *chunk) {
  const et_scalar_type dtype = linear->input->dtype;
  const size_t size = et_scalar_type_size((int32_t)dtype);
  const uint8_t *at = (const uint8_t *)linear->input->data +
                      (row * linear->weight.columns + start) * size;
  if (dtype == ET_SCALAR_TYPE_FLOAT32) {
    return (const float *)(const void *)at;
  }
  et_load_run(ET_COMPUTE_FLOAT32, dtype, at, (ptrdiff_t)size, count, chunk);
  return chunk->float32;
}

static float dot(const float *a, const float *b, size_t count) {
  float lanes[LANES] = {0};
  float sum = 0.0f;
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    for (size_t lane = 0; lane < LANES; lane++) {
      lanes[lane] += a[i + lane] * b[i + lane];
    }
  }
  for (; i < count; i++) {
    lanes[0] += a[i] * b[i];
  }
  for (size_t lane = 0; lane < LANES; lane++) {
    sum += lanes[lane];
  }
  return sum;
}

/* Multiplies one weight row by up to ET_LOW_BIT_ROWS input rows. */
static void multiply(const et_low_bit_linear *linear, size_t first,
                     size_t count, size_t column) {
  float accumulators[ET_LOW_BIT_ROWS] = {0};
  const et_low_bit *weight = &linear->weight;
  for (size_t start = 0; start < weight->columns; start += ET_CHUNK) {
    float factors[ET_CHUNK];
    et_chunk chunk;
    const size_t rest = weight->columns - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_low_bit_dequantize(weight, column, start, n, factors);
    for (size_t r = 0; r < count; r++) {
      accumulators[r] +=
          dot(input_at(linear, first + r, start, n, &chunk), factors, n);
    }
  }
  et_low_bit_linear_store(linear, first, count, column, accumulators);
}

void et_low_bit_linear_run(const et_low_bit_linear *linear) {
  for (size_t first = 0; first < linear->rows; first += ET_LOW_BIT_ROWS) {
    const size_t rest = linear->rows - first;
    const size_t count = rest < ET_LOW_BIT_ROWS ? rest : ET_LOW_BIT_ROWS;
    for (size_t column = 0; column < linear->weight.rows; column++) {
      multiply(linear, first, count, column);
    }
  }
}

void et_low_bit_linear_store(const et_low_bit_linear *linear, size_t first,
                             size_t count, size_t column,
                             const float *accumulators) {
  const et_scalar_type dtype = linear->out->dtype;
  const size_t size = et_scalar_type_size((int32_t)dtype);
  float bias = 0.0f;
  if (linear->bias != NULL) {
    const et_tensor *given = linear->bias;
    const size_t bytes = et_scalar_type_size((int32_t)given->dtype);
    et_load_run(ET_COMPUTE_FLOAT32, given->dtype,
                (const uint8_t *)given->data + column * bytes, 0, 1, &bias);
  }
  for (size_t r = 0; r < count; r++) {
    const float sum = accumulators[r] + bias;
    et_store_run(ET_COMPUTE_FLOAT32, &sum, dtype,
                 (uint8_t *)linear->out->data +
                     ((first + r) * linear->weight.rows + column) * size,
                 0, 1);
  }
}
