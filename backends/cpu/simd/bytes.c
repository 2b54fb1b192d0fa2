#include "backends/cpu/simd/bytes.h"

#include "backends/cpu/simd/quantizer.h"

typedef uint8_t narrow_u8 __attribute__((vector_size(ET_CPU_LANES)));

/* What ET_CPU_LANES bytes stand for. */
typedef struct reader {
  et_i32 zero_point;
  et_f32 scale;
  bool is_signed;
} reader;

static reader reader_of(const et_cpu_scaled_bytes *x) {
  const reader r = {et_i32_all(x->bytes.zero_point), et_f32_all(x->scale),
                    x->bytes.is_signed};
  return r;
}

ET_INLINE et_f32 numbers(const reader *r, const uint8_t *from) {
  et_i8_narrow signed_bytes;
  narrow_u8 bytes;
  memcpy(&signed_bytes, from, sizeof(signed_bytes));
  memcpy(&bytes, from, sizeof(bytes));
  const et_i32 wide = r->is_signed
                          ? __builtin_convertvector(signed_bytes, et_i32)
                          : __builtin_convertvector(bytes, et_i32);
  return et_f32_of_i32(wide - r->zero_point) * r->scale;
}

/* Bytes of a vector that is there in part; the others are 0. */
typedef struct part {
  uint8_t bytes[ET_CPU_LANES];
} part;

static part part_of(const uint8_t *from, size_t count) {
  part p = {{0}};
  memcpy(p.bytes, from, count);
  return p;
}

void ET_CPU_NAME(et_cpu_quantize)(const et_cpu_quantizing *quantizing,
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
  const reader r = reader_of(x);
  const uint8_t *from = x->bytes.data;
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    et_f32_store(y + i, numbers(&r, from + i));
  }
  if (i < count) {
    const part rest = part_of(from + i, count - i);
    et_f32_store_some(y + i, numbers(&r, rest.bytes), count - i);
  }
}

void ET_CPU_NAME(et_cpu_add_bytes)(const et_cpu_quantizing *quantizing,
                                   const et_cpu_scaled_bytes *a,
                                   const et_cpu_scaled_bytes *b, uint8_t *y,
                                   size_t count) {
  const et_quantizer q = et_quantizer_of(quantizing);
  const reader of_a = reader_of(a);
  const reader of_b = reader_of(b);
  const uint8_t *x = a->bytes.data;
  const uint8_t *z = b->bytes.data;
  size_t i = 0;
  for (; i + ET_CPU_LANES <= count; i += ET_CPU_LANES) {
    const et_f32 sum = numbers(&of_a, x + i) + numbers(&of_b, z + i);
    const et_i8_narrow done = et_i8_quantized(&q, sum);
    memcpy(y + i, &done, sizeof(done));
  }
  if (i < count) {
    const part rest = part_of(x + i, count - i);
    const part other = part_of(z + i, count - i);
    const et_f32 sum = numbers(&of_a, rest.bytes) + numbers(&of_b, other.bytes);
    const et_i8_narrow done = et_i8_quantized(&q, sum);
    memcpy(y + i, &done, count - i);
  }
}
