#include "backends/xnnpack/runtime/weights.h"

#include <math.h>
#include <string.h>

#include "backends/xnnpack/runtime/schema.h"

static float float_at(const uint8_t *bytes, size_t index) {
  float number = 0;
  memcpy(&number, bytes + index * sizeof number, sizeof number);
  return number;
}

static int32_t int_at(const uint8_t *bytes, size_t index) {
  int32_t number = 0;
  memcpy(&number, bytes + index * sizeof number, sizeof number);
  return number;
}

/* The multiplication rebiases the exponent, which converts subnormals correctly. For infinity and
 * NaN, the exponent is set to its maximum. */
float et_xnn_float_of_half(uint16_t bits) {
  const uint32_t magnitude = (uint32_t)(bits & 0x7fffu) << 13;
  const uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
  const float moved = et_xnn_float_of_bits(magnitude) * 0x1p112f;
  const uint32_t largest = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
  return et_xnn_float_of_bits(et_xnn_bits(moved) | largest | sign);
}

/* Returns the number of scales that the matrix requires, or SIZE_MAX if the group size does not
 * divide the depth. */
static size_t scales_needed(const et_xnn_matrix *m, const et_xnn_value *value) {
  const size_t outputs = (size_t)m->groups * (size_t)m->outputs;
  const uint32_t group = value->quantization.group;
  if (value->quantization.by == ET_XNN_BY_CHANNEL) {
    return outputs;
  }
  return group == 0 || (uint32_t)m->depth % group != 0
             ? SIZE_MAX
             : outputs * ((size_t)m->depth / group);
}

/* Scales of groups are bfloat16, except in old files, which have float32. */
static et_status find_scales(et_xnn_builder *b, et_xnn_weights *w) {
  const et_xnn_quantization *q = &w->value.quantization;
  const size_t needed = scales_needed(&w->matrix, &w->value);
  const bool is_bfloat16 =
      q->by == ET_XNN_BY_GROUP && (q->constant != 0 || q->is_bf16);
  ET_XNN_CHECK(b->error, q->dim == w->matrix.channel_dim && q->count == needed,
               "xvalues[%u] has %u scales along dim %u, expected %zu along %u",
               (unsigned)w->matrix.id, (unsigned)q->count, (unsigned)q->dim,
               needed, (unsigned)w->matrix.channel_dim);
  w->scales_are_bf16 = is_bfloat16;
  if (q->constant != 0) {
    return et_xnn_constant(b->graph, b->context, q->constant,
                           needed * (is_bfloat16 ? 2 : 4), &w->scales);
  }
  ET_XNN_CHECK(b->error, et_fb_count(q->inline_scales) >= needed,
               "xvalues[%u] has too few scales", (unsigned)w->matrix.id);
  w->scales = et_fb_data(q->inline_scales);
  return ET_STATUS_OK;
}

/* The official runtime multiplies float32 scales of old files by this factor, then truncates them
 * to bfloat16. */
#define OLD_SCALE_FACTOR 1.00389105f

static float scale_at(const et_xnn_weights *w, size_t index) {
  const et_xnn_quantization *q = &w->value.quantization;
  if (w->scales_are_bf16) {
    return et_xnn_float_of_bfloat16(et_xnn_half_at(w->scales, index));
  }
  const float scale = float_at(w->scales, index);
  return q->by == ET_XNN_BY_GROUP
             ? et_xnn_float_of_bits(et_xnn_bits(scale * OLD_SCALE_FACTOR) &
                                    0xffff0000u)
             : scale;
}

/* Replicates 16 bits for the four bfloat16 values of a word. */
#define EACH(bits) (UINT64_C(0x0001000100010001) * (bits))

/* Returns a word in which the sign bit of each bfloat16 is set if the value is infinite, NaN or
 * negative. */
static uint64_t invalid_scales16(uint64_t scales) {
  const uint64_t sizes = scales & EACH(0x7fffu);
  const uint64_t infinite = sizes + EACH(0x0080u);
  const uint64_t nonzero = sizes + EACH(0x7fffu);
  return (infinite | (scales & nonzero)) & EACH(0x8000u);
}

static bool are_scales16_positive(const uint8_t *scales, size_t count) {
  const size_t bytes = count * sizeof(uint16_t);
  uint64_t wrong = 0;
  uint64_t word = 0;
  size_t at = 0;
  for (; bytes - at >= sizeof word; at += sizeof word) {
    memcpy(&word, scales + at, sizeof word);
    wrong |= invalid_scales16(word);
  }
  word = 0;
  memcpy(&word, scales + at, bytes - at);
  return (wrong | invalid_scales16(word)) == 0;
}

static bool are_scales_positive(const et_xnn_weights *w) {
  const size_t count = scales_needed(&w->matrix, &w->value);
  if (w->scales_are_bf16) {
    return are_scales16_positive(w->scales, count);
  }
  for (size_t i = 0; i < count; i++) {
    const float scale = scale_at(w, i);
    if (!isfinite(scale) || scale < 0) {
      return false;
    }
  }
  return true;
}

static et_status check_scales(et_xnn_builder *b, const et_xnn_weights *w) {
  ET_XNN_CHECK(b->error, are_scales_positive(w),
               "xvalues[%u] has a scale that is not a positive number",
               (unsigned)w->matrix.id);
  return ET_STATUS_OK;
}

et_status et_xnn_weights_of(et_xnn_builder *b, const et_xnn_matrix *m,
                            et_xnn_weights *out) {
  *out =
      (et_xnn_weights){.matrix = *m, .value = et_xnn_value_at(b->graph, m->id)};
  const size_t numel =
      (size_t)m->groups * (size_t)m->outputs * (size_t)m->depth;
  const size_t line = et_xnn_line(m);
  size_t bytes = numel * et_scalar_type_size(et_xnn_storage(&out->value));
  ET_XNN_CHECK(b->error, out->value.numel == numel,
               "xvalues[%u] has %zu elements, expected %zu", (unsigned)m->id,
               out->value.numel, numel);
  if (et_xnn_has_nibbles(&out->value)) {
    out->row_bytes = (line + 1) / 2;
    bytes = numel / line * out->row_bytes;
  }
  ET_RETURN_IF_ERROR(et_xnn_constant(b->graph, b->context, out->value.constant,
                                     bytes, &out->data));
  const uint8_t by = out->value.quantization.by;
  if (by != ET_XNN_BY_CHANNEL && by != ET_XNN_BY_GROUP) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(find_scales(b, out));
  return check_scales(b, out);
}

static int32_t nibble_at(const et_xnn_weights *w, size_t element) {
  const size_t line = et_xnn_line(&w->matrix);
  const size_t at = element % line;
  const uint8_t byte = w->data[element / line * w->row_bytes + at / 2];
  return (at % 2 == 0 ? byte & 15 : byte >> 4) - 8;
}

bool et_xnn_has_int8(const et_xnn_weights *w) {
  return w->value.datatype == ET_XNN_QINT8 ||
         w->value.datatype == ET_XNN_QCINT8;
}

int32_t et_xnn_quantized_weight(const et_xnn_weights *w, size_t row, size_t k) {
  const size_t element = et_xnn_element(&w->matrix, row, k);
  switch ((et_xnn_datatype)w->value.datatype) {
    case ET_XNN_QINT8:
    case ET_XNN_QCINT8:
      return et_xnn_int8(w, row, k);
    case ET_XNN_QUINT8:
      return w->data[element] - w->value.quantization.zero_point;
    case ET_XNN_QCINT4:
    case ET_XNN_QBINT4:
      return nibble_at(w, element);
    default: /* qint32, qcint32 */
      return int_at(w->data, element);
  }
}

float et_xnn_scale(const et_xnn_weights *w, size_t row, size_t k) {
  const et_xnn_quantization *q = &w->value.quantization;
  switch (q->by) {
    case ET_XNN_BY_CHANNEL:
      return scale_at(w, row);
    case ET_XNN_BY_GROUP:
      return scale_at(
          w, row * ((size_t)w->matrix.depth / q->group) + k / q->group);
    default:
      return q->scale;
  }
}

float et_xnn_number(const et_xnn_weights *w, size_t row, size_t k) {
  const size_t element = et_xnn_element(&w->matrix, row, k);
  switch ((et_xnn_datatype)w->value.datatype) {
    case ET_XNN_FP32:
      return float_at(w->data, element);
    case ET_XNN_FP16:
      return et_xnn_float_of_half(et_xnn_half_at(w->data, element));
    case ET_XNN_BF16:
      return et_xnn_float_of_bfloat16(et_xnn_half_at(w->data, element));
    case ET_XNN_INT32:
      return (float)int_at(w->data, element);
    default:
      return (float)et_xnn_quantized_weight(w, row, k) *
             et_xnn_scale(w, row, k);
  }
}
