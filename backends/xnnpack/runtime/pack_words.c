#include "backends/xnnpack/runtime/code_sums.h"
#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/schema.h"

/* Codes by way of their numbers, whatever they are. */
static void words_by_code(const et_xnn_weights *w, et_xnn_panel p,
                          const et_xnn_words *words, uint32_t *out) {
  const size_t codes = 32 / (size_t)words->bits;
  const uint32_t mask = words->bits == 4 ? 15 : 255;
  for (size_t k = 0; k < (size_t)w->matrix.depth; k++) {
    const size_t shift = k % codes * (size_t)words->bits;
    for (size_t c = 0; c < p.columns; c++) {
      const uint32_t code = (uint32_t)et_xnn_code(w, p.first + c, k) & mask;
      out[k / codes * ET_XNN_PANEL + c] |= code << shift;
    }
  }
}

/* Whether the codes of a column lie one behind the other as whole bytes. */
static bool lies_in_rows(const et_xnn_weights *w) {
  return et_xnn_lies_as_bytes(w) ||
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

/* Nibbles are codes above their lowest one, which is what turns their upper bit. */
static void move_words(const et_xnn_weights *w, et_xnn_panel p, size_t count,
                       uint32_t *out) {
  const uint32_t turned =
      et_xnn_has_nibbles(&w->value) ? UINT32_C(0x88888888) : 0;
  for (size_t c = 0; c < p.columns; c++) {
    const uint8_t *row = row_of(w, p.first + c);
    for (size_t i = 0; i < count; i++) {
      out[i * ET_XNN_PANEL + c] = word_at(row + i * sizeof *out) ^ turned;
    }
  }
}

static void put_words(const et_xnn_weights *w, et_xnn_panel p,
                      const void *request, void *to) {
  const et_xnn_words *words = request;
  if (lies_in_rows(w)) {
    move_words(w, p, (size_t)w->matrix.depth / (32 / (size_t)words->bits), to);
  } else {
    words_by_code(w, p, words, to);
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
      (size_t)words_of(w) * ET_XNN_PANEL * sizeof(uint32_t), bytes);
}

/* Scales of groups are halves of floats, whose lower bits are 0. */
static bool has_half_scales(const et_xnn_value *value) {
  return value->quantization.by == ET_XNN_BY_GROUP;
}

static void put_scales(const et_xnn_weights *w, et_xnn_panel p,
                       const void *request, void *to) {
  const et_xnn_words *words = request;
  const bool in_halves = has_half_scales(&w->value);
  const size_t group = (size_t)words->group;
  float *floats = to;
  uint16_t *halves = to;
  for (size_t k = 0; k < (size_t)w->matrix.depth; k += group) {
    for (size_t c = 0; c < p.columns; c++) {
      const float scale = et_xnn_scale(w, p.first + c, k);
      if (in_halves) {
        halves[k / group * ET_XNN_PANEL + c] =
            (uint16_t)(et_xnn_bits(scale) >> 16);
      } else {
        floats[k / group * ET_XNN_PANEL + c] = scale;
      }
    }
  }
}

/* Of the codes of output `row` from `first` on. */
static int32_t sum_of_group(const et_xnn_weights *w, size_t row, size_t first,
                            size_t group) {
  if (lies_in_rows(w) && group % 2 == 0) {
    return et_xnn_has_nibbles(&w->value)
               ? et_xnn_sum_of_nibbles(row_of(w, row) + first / 2, group)
               : et_xnn_sum_of_bytes(row_of(w, row) + first, group);
  }
  int32_t sum = 0;
  for (size_t k = 0; k < group; k++) {
    sum += et_xnn_code(w, row, first + k);
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
      out[k / group * ET_XNN_PANEL + c] =
          sum_of_group(w, p.first + c, k, group);
    }
  }
}

static void put_weight_sums(const et_xnn_weights *w, et_xnn_panel p,
                            const void *request, void *to) {
  const et_xnn_words *words = request;
  const size_t group = (size_t)words->group;
  float *out = to;
  for (size_t c = 0; c < p.columns; c++) {
    const size_t row = p.first + c;
    double sum = 0;
    for (size_t k = 0; k < (size_t)w->matrix.depth; k += group) {
      sum += (double)et_xnn_scale(w, row, k) * sum_of_group(w, row, k, group);
    }
    out[c] = (float)sum;
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
                           (size_t)groups_of(w) * ET_XNN_PANEL *
                               et_scalar_type_size(scales_of(b, w)),
                           bytes);
}

static et_status fill_sums(et_xnn_builder *b, const void *request,
                           void *bytes) {
  const et_xnn_words *w = request;
  return et_xnn_put_panels(
      b, &w->matrix, put_sums, w,
      (size_t)groups_of(w) * ET_XNN_PANEL * sizeof(int32_t), bytes);
}

static et_status fill_weight_sums(et_xnn_builder *b, const void *request,
                                  void *bytes) {
  const et_xnn_words *w = request;
  return et_xnn_put_panels(b, &w->matrix, put_weight_sums, w,
                           ET_XNN_PANEL * sizeof(float), bytes);
}

/* [panels][count][16] of a matrix of one group. */
static et_xnn_tensor pack_words(et_xnn_builder *b, const et_xnn_words *w,
                                et_scalar_type dtype, int32_t count,
                                et_xnn_fill *fill, const char *share) {
  const et_xnn_packing packing = {
      .dtype = dtype,
      .dims = {.rank = 3,
               .sizes = {et_xnn_panels_of(w->matrix.outputs), count,
                         ET_XNN_PANEL}},
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
