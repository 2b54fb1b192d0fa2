#include "backends/cpu/microkernels/qs8.h"

#include "backends/cpu/microkernels/dequantize_vector.h"

void ET_CPU_NAME(et_cpu_quantize)(const et_cpu_output_quantization *quantizing,
                                  const float *x, uint8_t *y, size_t count) {
  const et_quantizer q = et_quantizer_of(quantizing);
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

void ET_CPU_NAME(et_cpu_dequantize)(const et_cpu_scaled_bytes *x, float *y,
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

/* What makes a vector of bytes of two. */
typedef struct pairing {
  et_quantizer quantizer;
  et_reader a;
  et_reader b;
  bool is_product;
} pairing;

ET_INLINE et_i8_narrow paired(const pairing *p, const uint8_t *a,
                              const uint8_t *b, size_t count) {
  const et_f32 x = et_read_some_numbers(&p->a, a, count);
  const et_f32 z = et_read_some_numbers(&p->b, b, count);
  return et_i8_quantized(&p->quantizer, p->is_product ? x * z : x + z);
}

void ET_CPU_NAME(et_cpu_pair_bytes)(const et_cpu_pair_bytes *pair, uint8_t *y,
                                    size_t count) {
  const pairing p = {et_quantizer_of(&pair->quantizing), et_reader_of(&pair->a),
                     et_reader_of(&pair->b), pair->is_product};
  const uint8_t *a = pair->a.bytes.data;
  const uint8_t *b = pair->b.bytes.data;
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    const et_i8_narrow done = paired(&p, a + i, b + i, ET_CPU_LANES);
    memcpy(y + i, &done, sizeof(done));
  }
  if (i < count) {
    const et_i8_narrow done = paired(&p, a + i, b + i, count - i);
    memcpy(y + i, &done, count - i);
  }
}
