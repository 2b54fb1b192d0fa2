#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/quantized_sums.h"
#include "backends/xnnpack/runtime/schema.h"

int32_t et_xnn_group_size(int32_t whole, int32_t per_word, int32_t max) {
  if (whole % per_word != 0) {
    return 0; /* no multiple of per_word divides `whole` */
  }
  if (whole <= max) {
    return whole;
  }
  int32_t group = max - max % per_word;
  while (group > 0 && whole % group != 0) {
    group -= per_word;
  }
  return group;
}

/* Packs values of any datatype one by one. */
static void words_by_value(const et_xnn_weights *w, et_xnn_panel p,
                           const et_xnn_words *words, uint32_t *out) {
  const size_t per_word = 32 / (size_t)words->bits;
  const uint32_t mask = words->bits == 4 ? 15 : 255;
  for (size_t k = 0; k < (size_t)w->matrix.depth; k++) {
    const size_t shift = k % per_word * (size_t)words->bits;
    for (size_t c = 0; c < p.columns; c++) {
      const uint32_t code =
          (uint32_t)et_xnn_quantized_weight(w, p.first + c, k) & mask;
      out[k / per_word * ET_CPU_PANEL + c] |= code << shift;
    }
  }
}

/* Returns true if the values of a column are consecutive and fill whole bytes. */
static bool has_dense_columns(const et_xnn_weights *w) {
  return et_xnn_is_dense_int8(w) ||
         (et_xnn_has_nibbles(&w->value) && !w->matrix.is_transposed &&
          w->matrix.depth % 2 == 0);
}

static const uint8_t *row_of(const et_xnn_weights *w, size_t row) {
  return w->data + row * (et_xnn_has_nibbles(&w->value)
                              ? w->row_bytes
                              : (size_t)w->matrix.depth);
}

static uint32_t word_at(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

/* 4-bit values have a zero point of 8 in the payload and are signed in the op. Flipping the upper
 * bit converts them. */
static void move_words(const et_xnn_weights *w, et_xnn_panel p, size_t count,
                       uint32_t *out) {
  const uint32_t turned =
      et_xnn_has_nibbles(&w->value) ? UINT32_C(0x88888888) : 0;
  for (size_t c = 0; c < p.columns; c++) {
    const uint8_t *row = row_of(w, p.first + c);
    for (size_t i = 0; i < count; i++) {
      out[i * ET_CPU_PANEL + c] = word_at(row + i * sizeof *out) ^ turned;
    }
  }
}

static void put_words(const et_xnn_weights *w, et_xnn_panel p,
                      const void *request, void *to) {
  const et_xnn_words *words = request;
  if (has_dense_columns(w)) {
    move_words(w, p, (size_t)w->matrix.depth / (32 / (size_t)words->bits), to);
  } else {
    words_by_value(w, p, words, to);
  }
}

static int32_t words_of(const et_xnn_words *w) {
  return w->matrix.depth / (32 / w->bits);
}

static et_status fill_words(et_xnn_builder *b, const void *request,
                            void *bytes) {
  const et_xnn_words *w = request;
  return et_xnn_put_panels(
      b, &w->matrix, put_words, w,
      (size_t)words_of(w) * ET_CPU_PANEL * sizeof(uint32_t), bytes);
}

/* Returns true if bfloat16 represents the scales exactly. */
static bool has_half_scales(const et_xnn_value *value) {
  return value->quantization.by == ET_XNN_BY_GROUP;
}

/* bfloat16 scales of one output in the payload. Each scale applies to `parts` groups of the op. */
typedef struct half_scales {
  const uint8_t *values16;
  size_t count;
  size_t parts;
} half_scales;

static half_scales half_scales_of(const et_xnn_weights *w,
                                  const et_xnn_words *words, size_t row) {
  const size_t whole = w->value.quantization.group;
  const size_t count = (size_t)w->matrix.depth / whole;
  return (half_scales){w->scales + row * count * sizeof(uint16_t), count,
                       whole / (size_t)words->group};
}

/* Copies the scales of one output. */
static void move_scales(const half_scales *from, uint16_t *out) {
  for (size_t i = 0; i < from->count; i++) {
    const uint16_t half = et_xnn_half_at(from->values16, i);
    for (size_t part = 0; part < from->parts; part++, out += ET_CPU_PANEL) {
      *out = half;
    }
  }
}

/* Converts float32 scales of one output to bfloat16. Needed for files of older exporters. */
static void put_float16(const et_xnn_weights *w, size_t row, size_t group,
                        uint16_t *out) {
  for (size_t k = 0; k < (size_t)w->matrix.depth; k += group) {
    *out = (uint16_t)(et_xnn_bits(et_xnn_scale(w, row, k)) >> 16);
    out += ET_CPU_PANEL;
  }
}

static void put_floats(const et_xnn_weights *w, size_t row, size_t group,
                       float *out) {
  for (size_t k = 0; k < (size_t)w->matrix.depth; k += group) {
    *out = et_xnn_scale(w, row, k);
    out += ET_CPU_PANEL;
  }
}

static void put_scales(const et_xnn_weights *w, et_xnn_panel p,
                       const void *request, void *to) {
  const et_xnn_words *words = request;
  for (size_t c = 0; c < p.columns; c++) {
    const size_t row = p.first + c;
    if (w->scales_are_bf16) {
      const half_scales scales = half_scales_of(w, words, row);
      move_scales(&scales, (uint16_t *)to + c);
    } else if (has_half_scales(&w->value)) {
      put_float16(w, row, (size_t)words->group, (uint16_t *)to + c);
    } else {
      put_floats(w, row, (size_t)words->group, (float *)to + c);
    }
  }
}

/* Returns the sum of a group of quantized values of output `row`. */
static int32_t sum_of_group(const et_xnn_weights *w, size_t row, size_t first,
                            size_t group) {
  if (has_dense_columns(w) && group % 2 == 0) {
    return et_xnn_has_nibbles(&w->value)
               ? et_xnn_sum_of_nibbles(row_of(w, row) + first / 2, group)
               : et_xnn_sum_of_int8(row_of(w, row) + first, group);
  }
  int32_t sum = 0;
  for (size_t k = 0; k < group; k++) {
    sum += et_xnn_quantized_weight(w, row, first + k);
  }
  return sum;
}

static void put_sums(const et_xnn_weights *w, et_xnn_panel p,
                     const void *request, void *to) {
  const et_xnn_words *words = request;
  const size_t group = (size_t)words->group;
  int32_t *out = to;
  for (size_t c = 0; c < p.columns; c++) {
    for (size_t k = 0; k < (size_t)w->matrix.depth; k += group) {
      out[k / group * ET_CPU_PANEL + c] =
          sum_of_group(w, p.first + c, k, group);
    }
  }
}

/* Returns the sum of an output's dequantized weights, which are consecutive 4-bit values with
 * bfloat16 scales. `group` should be a compile-time constant. */
static inline double weights_by(const half_scales *scales,
                                const uint8_t *per_word, size_t group) {
  double sum = 0;
  for (size_t i = 0; i < scales->count; i++) {
    const double scale =
        et_xnn_float_of_bfloat16(et_xnn_half_at(scales->values16, i));
    for (size_t part = 0; part < scales->parts; part++, per_word += group / 2) {
      sum += scale * et_xnn_sum_of_nibbles(per_word, group);
    }
  }
  return sum;
}

/* Specialized version for groups of 32, the most common size. */
static double sum_of_weights(const half_scales *scales, const uint8_t *per_word,
                             size_t group) {
  return group == 32 ? weights_by(scales, per_word, 32)
                     : weights_by(scales, per_word, group);
}

/* Like sum_of_weights(), but supports any layout and datatype. */
static double sum_of_groups(const et_xnn_weights *w, size_t row, size_t group) {
  double sum = 0;
  for (size_t k = 0; k < (size_t)w->matrix.depth; k += group) {
    sum += (double)et_xnn_scale(w, row, k) * sum_of_group(w, row, k, group);
  }
  return sum;
}

static void put_weight_sums(const et_xnn_weights *w, et_xnn_panel p,
                            const void *request, void *to) {
  const et_xnn_words *words = request;
  const size_t group = (size_t)words->group;
  const bool in_rows = w->scales_are_bf16 && has_dense_columns(w);
  float *out = to;
  for (size_t c = 0; c < p.columns; c++) {
    const size_t row = p.first + c;
    const half_scales scales =
        in_rows ? half_scales_of(w, words, row) : (half_scales){0};
    out[c] = (float)(in_rows ? sum_of_weights(&scales, row_of(w, row), group)
                             : sum_of_groups(w, row, group));
  }
}

static int32_t groups_of(const et_xnn_words *w) {
  return w->matrix.depth / w->group;
}

static et_scalar_type scales_of(const et_xnn_builder *b,
                                const et_xnn_words *w) {
  const et_xnn_value value = et_xnn_value_at(b->graph, w->matrix.id);
  return has_half_scales(&value) ? ET_SCALAR_TYPE_BFLOAT16
                                 : ET_SCALAR_TYPE_FLOAT32;
}

static et_status fill_scales(et_xnn_builder *b, const void *request,
                             void *bytes) {
  const et_xnn_words *w = request;
  return et_xnn_put_panels(b, &w->matrix, put_scales, w,
                           (size_t)groups_of(w) * ET_CPU_PANEL *
                               et_scalar_type_size(scales_of(b, w)),
                           bytes);
}

static et_status fill_sums(et_xnn_builder *b, const void *request,
                           void *bytes) {
  const et_xnn_words *w = request;
  return et_xnn_put_panels(
      b, &w->matrix, put_sums, w,
      (size_t)groups_of(w) * ET_CPU_PANEL * sizeof(int32_t), bytes);
}

static et_status fill_weight_sums(et_xnn_builder *b, const void *request,
                                  void *bytes) {
  const et_xnn_words *w = request;
  return et_xnn_put_panels(b, &w->matrix, put_weight_sums, w,
                           ET_CPU_PANEL * sizeof(float), bytes);
}

/* Packs [panels][count][16] for a matrix with one group. */
static et_xnn_tensor pack_words(et_xnn_builder *b, const et_xnn_words *w,
                                et_scalar_type dtype, int32_t count,
                                et_xnn_fill *fill, const char *share) {
  const et_xnn_packing packing = {
      .dtype = dtype,
      .dims = {.rank = 3,
               .sizes = {et_xnn_panels_of(w->matrix.outputs), count,
                         ET_CPU_PANEL}},
      .fill = fill,
      .request = w,
      .id = w->matrix.id,
      .share = share};
  return et_xnn_pack(b, &packing);
}

et_xnn_tensor et_xnn_pack_words(et_xnn_builder *b, const et_xnn_words *w) {
  return pack_words(b, w, ET_SCALAR_TYPE_INT32, words_of(w), fill_words,
                    w->matrix.is_transposed ? "column words" : "words");
}

et_xnn_tensor et_xnn_pack_scales(et_xnn_builder *b, const et_xnn_words *w) {
  return pack_words(b, w, scales_of(b, w), groups_of(w), fill_scales, NULL);
}

et_xnn_tensor et_xnn_pack_sums(et_xnn_builder *b, const et_xnn_words *w) {
  return pack_words(b, w, ET_SCALAR_TYPE_INT32, groups_of(w), fill_sums,
                    w->matrix.is_transposed ? "column sums" : "sums");
}

et_xnn_tensor et_xnn_pack_weight_sums(et_xnn_builder *b,
                                      const et_xnn_words *w) {
  return pack_words(b, w, ET_SCALAR_TYPE_FLOAT32, 1, fill_weight_sums, NULL);
}
