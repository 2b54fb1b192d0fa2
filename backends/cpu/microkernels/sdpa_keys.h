/* Blocks of float32 keys and values of one group, and the number of keys that queries attend to. */
#ifndef BACKENDS_CPU_MICROKERNELS_SDPA_KEYS_H_
#define BACKENDS_CPU_MICROKERNELS_SDPA_KEYS_H_

#include "backends/cpu/microkernels/half.h"
#include "backends/cpu/microkernels/sdpa.h"
#include "backends/cpu/microkernels/simd_i8.h"

/* Keys and values of a block. The strides between rows are in floats. */
typedef struct et_attention_keys {
  const float *keys;
  const float *values;
  size_t k_stride;
  size_t v_stride;
} et_attention_keys;

/* Widens rows of `size` elements, `stride` elements apart, to float32. The result is dense. */
ET_INLINE void et_widen_keys(const uint16_t *from, size_t stride, size_t rows,
                             size_t size, bool is_bfloat, float *to) {
  for (size_t r = 0; r < rows; r++, from += stride, to += size) {
    size_t i = 0;
    for (; i + ET_CPU_LANES <= size; i += ET_CPU_LANES) {
      et_f32_store(to + i, et_half_load(from + i, is_bfloat));
    }
    if (i < size) {
      et_u16 some = {0};
      memcpy(&some, from + i, (size - i) * sizeof(*from));
      et_f32_store_some(to + i, et_half_as_f32(some, is_bfloat), size - i);
    }
  }
}

/* Converts int8 rows to float32 and multiplies each by its scale. The result is dense. */
ET_INLINE void et_dequantize_keys(const int8_t *from, size_t stride,
                                  const float *scales, size_t rows, size_t size,
                                  float *to) {
  for (size_t r = 0; r < rows; r++, from += stride, to += size) {
    const et_f32 scale = et_f32_all(scales[r]);
    size_t i = 0;
    for (; i + ET_CPU_LANES <= size; i += ET_CPU_LANES) {
      const et_i32 values = et_i32_of_int8((const uint8_t *)from + i, true);
      et_f32_store(to + i, et_f32_of_i32(values) * scale);
    }
    if (i < size) {
      uint8_t some[ET_CPU_LANES] = {0};
      memcpy(some, from + i, size - i);
      const et_i32 values = et_i32_of_int8(some, true);
      et_f32_store_some(to + i, et_f32_of_i32(values) * scale, size - i);
    }
  }
}

/* Returns keys and values `first` to `first + count - 1` of the group. The rows are in place, or
 * converted to float32 in `widened`, which has et_cpu_sdpa_widened_floats floats. */
ET_INLINE et_attention_keys et_attention_block(const et_cpu_sdpa *a,
                                               size_t group, size_t first,
                                               size_t count, float *widened) {
  const size_t k = group * a->k_group + first * a->k_stride;
  const size_t v = group * a->v_group + first * a->v_stride;
  if (a->kv_dtype == ET_CPU_KV_FLOAT32) {
    return (et_attention_keys){(const float *)a->k + k, (const float *)a->v + v,
                               a->k_stride, a->v_stride};
  }
  float *values = widened + ET_CPU_SDPA_KEYS * a->depth;
  if (a->kv_dtype == ET_CPU_KV_INT8) {
    const size_t row = group * a->keys + first;
    et_dequantize_keys((const int8_t *)a->k + k, a->k_stride, a->k_scales + row,
                       count, a->depth, widened);
    et_dequantize_keys((const int8_t *)a->v + v, a->v_stride, a->v_scales + row,
                       count, a->width, values);
  } else {
    const bool is_bfloat = a->kv_dtype == ET_CPU_KV_BFLOAT16;
    et_widen_keys((const uint16_t *)a->k + k, a->k_stride, count, a->depth,
                  is_bfloat, widened);
    et_widen_keys((const uint16_t *)a->v + v, a->v_stride, count, a->width,
                  is_bfloat, values);
  }
  return (et_attention_keys){widened, values, a->depth, a->width};
}

/* Returns whether a mask is -infinity for `count` keys. */
static bool et_is_hidden(const float *mask, size_t count) {
  et_i32 all = et_f32_all(0.0f) == et_f32_all(0.0f);
  int32_t lanes[ET_CPU_LANES];
  size_t n = 0;
  for (; n + ET_CPU_LANES <= count; n += ET_CPU_LANES) {
    all &= et_f32_load(mask + n) == et_f32_all(-__builtin_inff());
  }
  memcpy(lanes, &all, sizeof(lanes));
  bool hidden = true;
  for (size_t i = 0; i < ET_CPU_LANES; i++) {
    hidden = hidden && lanes[i] != 0;
  }
  for (; n < count; n++) {
    hidden = hidden && mask[n] == -__builtin_inff();
  }
  return hidden;
}

/* Number of keys whose mask is tested at once. */
#define ET_SEEN_STEP 64

/* Returns the number of leading keys that include every visible key of a mask row, rounded up to
 * ET_SEEN_STEP. The result is at least `seen`. */
static size_t et_seen_by_row(const float *mask, size_t keys, size_t seen) {
  for (size_t end = keys; end > seen;) {
    const size_t first = (end - 1) / ET_SEEN_STEP * ET_SEEN_STEP;
    if (!et_is_hidden(mask + first, end - first)) {
      return end;
    }
    end = first;
  }
  return seen;
}

/* Returns the number of keys that the last query attends to if the mask is ignored. */
static size_t et_keys_before(const et_cpu_sdpa *a) {
  const size_t before = a->position + a->queries;
  return a->causal && before < a->keys ? before : a->keys;
}

/* Returns the number of leading keys that include all keys that queries of the group attend to, at
 * least 1. It is small if the mask hides the unused end of a KV cache. */
static size_t et_seen_keys(const et_cpu_sdpa *a, size_t group) {
  const size_t heads = a->heads / a->groups;
  const size_t rows = a->mask_row == 0 ? 1 : a->queries;
  const size_t keys = et_keys_before(a);
  size_t seen = keys < 1 ? keys : 1;
  if (a->mask == NULL) {
    return keys;
  }
  for (size_t h = 0; h < (a->mask_head == 0 ? 1 : heads); h++) {
    const float *mask = a->mask + (group * heads + h) * a->mask_head;
    for (size_t r = rows; r-- > 0;) {
      seen = et_seen_by_row(mask + r * a->mask_row, keys, seen);
    }
  }
  return seen;
}

#endif /* BACKENDS_CPU_MICROKERNELS_SDPA_KEYS_H_ */
