#include "kernels/quantized/low_bit.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"

static et_status check_quantized(et_kernel_context *context, const char *what,
                                 const et_tensor *quantized, int64_t bits) {
  ET_CHECK(context, bits == 2 || bits == 4 || bits == 8,
           "%s: %lld-bit values are not supported; use 2, 4 or 8 bits", what,
           (long long)bits);
  ET_RETURN_IF_ERROR(et_shape_rank(context, what, quantized, 2, 2));
  ET_CHECK(context,
           quantized->dtype == ET_SCALAR_TYPE_UINT8 ||
               (bits == 8 && quantized->dtype == ET_SCALAR_TYPE_INT8),
           "%s: %lld-bit values cannot have dtype %s", what, (long long)bits,
           et_scalar_type_name((int32_t)quantized->dtype));
  return ET_STATUS_OK;
}

static et_status check_parameters(et_kernel_context *context, const char *what,
                                  const et_tensor *parameters,
                                  const et_low_bit *matrix) {
  ET_CHECK(context,
           (parameters->rank == 1 || parameters->rank == 2) &&
               (size_t)parameters->sizes[0] == matrix->rows &&
               parameters->numel == matrix->rows * matrix->groups,
           "%s: scales and zero points (or minima) must have shape [%zu, %zu]",
           what, matrix->rows, matrix->groups);
  return ET_STATUS_OK;
}

et_status et_low_bit_read(et_kernel_context *context, const char *what,
                          et_value *const *args, et_low_bit_shift shift,
                          int64_t bits, et_low_bit *out) {
  const et_tensor *quantized = args[0]->u.as_tensor;
  const et_tensor *scales = args[1]->u.as_tensor;
  ET_RETURN_IF_ERROR(check_quantized(context, what, quantized, bits));
  *out = (et_low_bit){.quantized = quantized,
                      .scales = scales,
                      .shifts = et_arg_tensor(args[2]),
                      .shift = shift,
                      .bits = bits};
  out->rows = (size_t)quantized->sizes[0];
  out->columns = (size_t)quantized->sizes[1] * (size_t)(8 / bits);
  out->groups = scales->rank == 2 ? (size_t)scales->sizes[1] : 1;
  ET_CHECK(context, out->groups > 0, "%s: rows have no scale", what);
  out->group = (out->columns + out->groups - 1) / out->groups;
  out->group = out->group > 0 ? out->group : 1;
  ET_RETURN_IF_ERROR(check_parameters(context, what, scales, out));
  return out->shifts == NULL
             ? ET_STATUS_OK
             : check_parameters(context, what, out->shifts, out);
}

static float parameter(const et_tensor *parameters, size_t index) {
  float value = 0.0f;
  et_load_run(ET_COMPUTE_FLOAT32, parameters->dtype,
              (const uint8_t *)parameters->data +
                  index * et_scalar_type_size((int32_t)parameters->dtype),
              0, 1, &value);
  return value;
}

et_low_bit_group et_low_bit_group_of(const et_low_bit *matrix, size_t row,
                                     size_t group) {
  const size_t index = row * matrix->groups + group;
  et_low_bit_group found = {.scale = parameter(matrix->scales, index)};
  if (matrix->shifts == NULL) {
    return found;
  }
  if (matrix->shift == ET_LOW_BIT_ZERO_POINTS) {
    found.zero_point = parameter(matrix->shifts, index);
  } else {
    found.zero_point = -(float)(1 << (matrix->bits - 1));
    found.minimum = parameter(matrix->shifts, index);
  }
  return found;
}

static void unpack_4(const uint8_t *bytes, size_t count, int16_t *out) {
  for (size_t i = 0; i < count / 2; i++) {
    out[2 * i] = (int16_t)((bytes[i] >> 4) - 8);
    out[2 * i + 1] = (int16_t)((bytes[i] & 15) - 8);
  }
}

static void unpack_2(const uint8_t *bytes, size_t count, int16_t *out) {
  for (size_t i = 0; i < count; i++) {
    out[i] = (int16_t)(((bytes[i / 4] >> (2 * (i % 4))) & 3) - 2);
  }
}

void et_low_bit_values(const et_low_bit *matrix, size_t row, size_t start,
                       size_t count, int16_t *out) {
  const uint8_t *bytes = (const uint8_t *)matrix->quantized->data +
                         row * (size_t)matrix->quantized->sizes[1] +
                         start * (size_t)matrix->bits / 8;
  if (matrix->bits == 4) {
    unpack_4(bytes, count, out);
  } else if (matrix->bits == 2) {
    unpack_2(bytes, count, out);
  } else {
    const bool is_signed = matrix->quantized->dtype == ET_SCALAR_TYPE_INT8;
    for (size_t i = 0; i < count; i++) {
      out[i] = is_signed ? (int8_t)bytes[i] : bytes[i];
    }
  }
}

void et_low_bit_dequantize(const et_low_bit *matrix, size_t row, size_t start,
                           size_t count, float *out) {
  int16_t quantized[ET_CHUNK];
  et_low_bit_values(matrix, row, start, count, quantized);
  for (size_t i = 0; i < count;) {
    const et_low_bit_group group =
        et_low_bit_group_of(matrix, row, (start + i) / matrix->group);
    const size_t end = et_low_bit_group_end(matrix, start + i) - start;
    for (; i < end && i < count; i++) {
      out[i] = ((float)quantized[i] - group.zero_point) * group.scale +
               group.minimum;
    }
  }
}
