#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/quantized/low_bit.h"

/* Number of result columns that are accumulated at a time. */
#define COLUMNS ET_CHUNK

static float input_at(const et_tensor *input, size_t index) {
  const size_t size = et_scalar_type_size((int32_t)input->dtype);
  float value = 0.0f;
  et_load_run(ET_COMPUTE_FLOAT32, input->dtype,
              (const uint8_t *)input->data + index * size, 0, 1, &value);
  return value;
}

/* Computes `count` <= COLUMNS results of one row, from column `start`. */
static void multiply(const et_tensor *input, const et_low_bit *weight,
                     size_t row, size_t start, size_t count, et_tensor *out) {
  const size_t size = et_scalar_type_size((int32_t)out->dtype);
  float accumulators[COLUMNS] = {0};
  for (size_t k = 0; k < weight->rows; k++) {
    float factors[COLUMNS];
    const float x = input_at(input, row * weight->rows + k);
    et_low_bit_dequantize(weight, k, start, count, factors);
    for (size_t c = 0; c < count; c++) {
      accumulators[c] += x * factors[c];
    }
  }
  et_store_run(ET_COMPUTE_FLOAT32, accumulators, out->dtype,
               (uint8_t *)out->data + (row * weight->columns + start) * size,
               (ptrdiff_t)size, count);
}

et_status et_op_mixed_mm_out(et_kernel_context *context, et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  const et_tensor *quantized = args[1]->u.as_tensor;
  et_tensor *out = args[4]->u.as_tensor;
  et_low_bit weight;
  ET_RETURN_IF_ERROR(et_low_bit_read(context, "mixed_mm", &args[1],
                                     ET_LOW_BIT_ZERO_POINTS, 8, &weight));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "mixed_mm: input", input, 2, 2));
  ET_CHECK(context, input->sizes[1] == quantized->sizes[0],
           "mixed_mm: input has %d features, weight needs %d",
           (int)input->sizes[1], (int)quantized->sizes[0]);
  const int32_t sizes[2] = {input->sizes[0], quantized->sizes[1]};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 2, context->error));
  for (size_t row = 0; row < (size_t)sizes[0]; row++) {
    for (size_t start = 0; start < weight.columns; start += COLUMNS) {
      const size_t rest = weight.columns - start;
      multiply(input, &weight, row, start, rest < COLUMNS ? rest : COLUMNS,
               out);
    }
  }
  return ET_STATUS_OK;
}
