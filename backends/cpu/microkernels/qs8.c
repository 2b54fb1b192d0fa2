/* Implements quantize, dequantize and binary_qs8 of qs8.h for dense rows.
 *
 *   quantize: y = clamp(round(x * inverse) + zero_point, low, high)
 *   dequantize: y = (x - zero_point) * scale
 *   binary_qs8: y = quantize(dequantize(a) + dequantize(b)), or the product
 *
 * The tile is one vector of float32; the last one may be partial. The conversion between int8 and
 * float32 is the bottleneck. */
#include "backends/cpu/microkernels/qs8.h"

#include "backends/cpu/microkernels/dequantize_vector.h"

void ET_CPU_NAME(et_cpu_quantize)(
    const et_cpu_output_quantization *output_quantization, const float *x,
    uint8_t *y, size_t count) {
  const et_quantizer q = et_quantizer_of(output_quantization);
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    const et_i8_narrow done = et_i8_quantized(&q, et_f32_load(x + i));
    memcpy(y + i, &done, sizeof(done));
  }
  if (i < count) {
    const et_i8_narrow done =
        et_i8_quantized(&q, et_f32_load_some(x + i, count - i));
    memcpy(y + i, &done, count - i);
  }
}

void ET_CPU_NAME(et_cpu_dequantize)(const et_cpu_scaled_qs8 *x, float *y,
                                    size_t count) {
  const et_reader r = et_reader_of(x);
  const uint8_t *from = x->bytes.data;
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    et_f32_store(y + i, et_read_some_numbers(&r, from + i, ET_CPU_LANES));
  }
  if (i < count) {
    const et_f32 rest = et_read_some_numbers(&r, from + i, count - i);
    et_f32_store_some(y + i, rest, count - i);
  }
}

/* Parameters of et_cpu_binary_qs8, broadcast to vectors. */
typedef struct binary_vectors {
  et_quantizer quantizer;
  et_reader a;
  et_reader b;
  bool is_gemm;
} binary_vectors;

ET_INLINE et_i8_narrow binary_result(const binary_vectors *v, const uint8_t *a,
                                     const uint8_t *b, size_t count) {
  const et_f32 x = et_read_some_numbers(&v->a, a, count);
  const et_f32 z = et_read_some_numbers(&v->b, b, count);
  return et_i8_quantized(&v->quantizer, v->is_gemm ? x * z : x + z);
}

void ET_CPU_NAME(et_cpu_binary_qs8)(const et_cpu_binary_qs8 *binary, uint8_t *y,
                                    size_t count) {
  const binary_vectors v = {et_quantizer_of(&binary->output_quantization),
                            et_reader_of(&binary->a), et_reader_of(&binary->b),
                            binary->is_gemm};
  const uint8_t *a = binary->a.bytes.data;
  const uint8_t *b = binary->b.bytes.data;
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    const et_i8_narrow done = binary_result(&v, a + i, b + i, ET_CPU_LANES);
    memcpy(y + i, &done, sizeof(done));
  }
  if (i < count) {
    const et_i8_narrow done = binary_result(&v, a + i, b + i, count - i);
    memcpy(y + i, &done, count - i);
  }
}
