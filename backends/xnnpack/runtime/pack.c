#include "backends/xnnpack/runtime/pack.h"

#include <string.h>

#include "backends/xnnpack/runtime/schema.h"
#include "backends/xnnpack/runtime/weights.h"

#define PANEL ET_XNN_PANEL

static int32_t panels_of(int32_t columns) {
  return (columns + PANEL - 1) / PANEL;
}

bool et_xnn_has_codes(const et_xnn_value *weights) {
  switch ((et_xnn_datatype)weights->datatype) {
    case ET_XNN_QINT8:
      return weights->quantization.zero_point == 0;
    case ET_XNN_QCINT8:
    case ET_XNN_QCINT4:
    case ET_XNN_QBINT4:
      return true;
    default:
      return false;
  }
}

/* A panel of a group: its first output over all groups, and how many there are. */
typedef struct panel {
  size_t first;
  size_t columns;
} panel;

static panel panel_at(const et_xnn_matrix *m, int32_t group, int32_t index) {
  const int32_t before = index * PANEL;
  const int32_t left = m->outputs - before;
  return (panel){(size_t)group * (size_t)m->outputs + (size_t)before,
                 (size_t)(left < PANEL ? left : PANEL)};
}

/* Calls `put` for each panel, with where its `size` bytes begin. */
typedef void put_panel(const et_xnn_weights *w, panel p, const void *request,
                       void *to);

static et_status put_panels(et_xnn_builder *b, const et_xnn_matrix *m,
                            put_panel *put, const void *request, size_t size,
                            void *bytes) {
  et_xnn_weights w;
  uint8_t *to = bytes;
  ET_RETURN_IF_ERROR(et_xnn_weights_of(b, m, &w));
  for (int32_t g = 0; g < m->groups; g++) {
    for (int32_t i = 0; i < panels_of(m->outputs); i++) {
      memset(to, 0, size);
      put(&w, panel_at(m, g, i), request, to);
      to += size;
    }
  }
  return ET_STATUS_OK;
}

/* Numbers of `width` bytes, a constant of each call, as they are. */
static inline void move(const et_xnn_weights *w, panel p, size_t width,
                        uint8_t *to) {
  const size_t depth = (size_t)w->matrix.depth;
  const uint8_t *rows[PANEL];
  for (size_t c = 0; c < p.columns; c++) {
    rows[c] = w->data + et_xnn_element(&w->matrix, p.first + c, 0) * width;
  }
  const size_t step = (et_xnn_element(&w->matrix, p.first, 1) -
                       et_xnn_element(&w->matrix, p.first, 0)) *
                      width;
  for (size_t k = 0; k < depth; k++, to += PANEL * width) {
    for (size_t c = 0; c < p.columns; c++) {
      memcpy(to + c * width, rows[c] + k * step, width);
    }
  }
}

static void put_floats(const et_xnn_weights *w, panel p, const void *request,
                       void *to) {
  float *out = to;
  (void)request;
  if (w->value.datatype == ET_XNN_FP32) {
    move(w, p, sizeof(float), to);
    return;
  }
  for (size_t k = 0; k < (size_t)w->matrix.depth; k++) {
    for (size_t c = 0; c < p.columns; c++) {
      out[k * PANEL + c] = et_xnn_number(w, p.first + c, k);
    }
  }
}

static void put_halves(const et_xnn_weights *w, panel p, const void *request,
                       void *to) {
  (void)request;
  move(w, p, sizeof(uint16_t), to);
}

/* Reads a code: a constant of each call of what is given one. */
typedef int32_t read_code(const et_xnn_weights *w, size_t row, size_t k);

static et_status fill_floats(et_xnn_builder *b, const void *request,
                             void *bytes) {
  const et_xnn_matrix *m = request;
  return put_panels(b, m, put_floats, NULL,
                    (size_t)m->depth * PANEL * sizeof(float), bytes);
}

static et_status fill_halves(et_xnn_builder *b, const void *request,
                             void *bytes) {
  const et_xnn_matrix *m = request;
  return put_panels(b, m, put_halves, NULL,
                    (size_t)m->depth * PANEL * sizeof(uint16_t), bytes);
}

/* Sizes that have been multiplied; -1, which no tensor has, where they wrap. */
static int32_t times(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  return product <= INT32_MAX ? (int32_t)product : -1;
}

et_xnn_tensor et_xnn_pack_panels(et_xnn_builder *b, const et_xnn_matrix *m,
                                 et_scalar_type dtype) {
  const bool is_float = dtype == ET_SCALAR_TYPE_FLOAT32;
  const et_xnn_value value = et_xnn_value_at(b->graph, m->id);
  const et_xnn_packing packing = {
      .dtype = dtype,
      .dims = {.rank = 4,
               .sizes = {m->groups, panels_of(m->outputs), m->depth, PANEL}},
      .fill = is_float ? fill_floats : fill_halves,
      .request = m,
      .id = m->id,
      .share = !et_xnn_is_floating(&value) ? NULL
               : m->is_transposed          ? "columns"
                                           : "panels"};
  return et_xnn_pack(b, &packing);
}

static inline void quads_by(read_code *code, const et_xnn_weights *w, panel p,
                            int8_t *out) {
  for (size_t k = 0; k < (size_t)w->matrix.depth; k++) {
    for (size_t c = 0; c < p.columns; c++) {
      out[(k / 4 * PANEL + c) * 4 + k % 4] = (int8_t)code(w, p.first + c, k);
    }
  }
}

/* Whether each column's codes are bytes one behind the other. */
static bool lies_as_bytes(const et_xnn_weights *w) {
  return et_xnn_has_int8(w) && !w->matrix.is_transposed &&
         w->value.quantization.zero_point == 0;
}

/* Codes that lie as quads of each column are moved as such. */
static void move_quads(const et_xnn_weights *w, panel p, uint8_t *to) {
  const size_t depth = (size_t)w->matrix.depth;
  for (size_t c = 0; c < p.columns; c++) {
    const uint8_t *row = w->data + (p.first + c) * depth;
    for (size_t k = 0; k + 4 <= depth; k += 4) {
      memcpy(to + (k / 4 * PANEL + c) * 4, row + k, 4);
    }
    for (size_t k = depth / 4 * 4; k < depth; k++) {
      to[(k / 4 * PANEL + c) * 4 + k % 4] = row[k];
    }
  }
}

static void put_quads(const et_xnn_weights *w, panel p, const void *request,
                      void *to) {
  (void)request;
  if (lies_as_bytes(w)) {
    move_quads(w, p, to);
  } else if (et_xnn_has_int8(w)) {
    quads_by(et_xnn_int8, w, p, to);
  } else {
    quads_by(et_xnn_code, w, p, to);
  }
}

static size_t quads_of(int32_t depth) { return ((size_t)depth + 3) / 4; }

static et_status fill_quads(et_xnn_builder *b, const void *request,
                            void *bytes) {
  const et_xnn_matrix *m = request;
  return put_panels(b, m, put_quads, NULL, quads_of(m->depth) * PANEL * 4,
                    bytes);
}

et_xnn_tensor et_xnn_pack_quads(et_xnn_builder *b, const et_xnn_matrix *m) {
  const et_xnn_packing packing = {
      .dtype = ET_SCALAR_TYPE_INT8,
      .dims = {.rank = 4,
               .sizes = {times(m->groups, panels_of(m->outputs)),
                         (int32_t)quads_of(m->depth), PANEL, 4}},
      .fill = fill_quads,
      .request = m,
      .id = m->id,
      .share = m->is_transposed ? "column quads" : "quads"};
  return et_xnn_pack(b, &packing);
}

/* Taps of windows: columns of them, each filled up to quads. */
typedef struct taps {
  et_xnn_matrix matrix;
  size_t height;
  size_t width;
} taps;

static inline void tap_quads_by(read_code *code, const et_xnn_weights *w,
                                panel p, const taps *t, int8_t *out) {
  const size_t quads = (t->height + 3) / 4;
  for (size_t y = 0; y < t->height; y++) {
    for (size_t x = 0; x < t->width; x++) {
      int8_t *quad = out + (x * quads + y / 4) * PANEL * 4 + y % 4;
      for (size_t c = 0; c < p.columns; c++) {
        quad[c * 4] = (int8_t)code(w, p.first + c, y * t->width + x);
      }
    }
  }
}

static void put_tap_quads(const et_xnn_weights *w, panel p, const void *request,
                          void *to) {
  if (et_xnn_has_int8(w)) {
    tap_quads_by(et_xnn_int8, w, p, request, to);
  } else {
    tap_quads_by(et_xnn_code, w, p, request, to);
  }
}

static et_status fill_tap_quads(et_xnn_builder *b, const void *request,
                                void *bytes) {
  const taps *t = request;
  return put_panels(b, &t->matrix, put_tap_quads, t,
                    (t->height + 3) / 4 * t->width * PANEL * 4, bytes);
}

et_xnn_tensor et_xnn_pack_tap_quads(et_xnn_builder *b, const et_xnn_matrix *m,
                                    int32_t height) {
  const taps t = {*m, (size_t)height, (size_t)(m->depth / height)};
  const et_xnn_packing packing = {
      .dtype = ET_SCALAR_TYPE_INT8,
      .dims = {.rank = 4,
               .sizes = {panels_of(m->outputs),
                         (int32_t)((t.height + 3) / 4 * t.width), PANEL, 4}},
      .fill = fill_tap_quads,
      .request = &t,
      .id = m->id,
      .share = "taps"};
  return et_xnn_pack(b, &packing);
}

/* Numbers of columns, [groups][panels * 16]. */
typedef struct columns {
  et_xnn_matrix matrix; /* of the weights */
  uint32_t bias;
  float x_scale; /* what bytes are worth that they are multiplied by, */
  float y_scale; /* and that come of it */
} columns;

static et_xnn_matrix bias_matrix(const columns *c) {
  const et_xnn_matrix *m = &c->matrix;
  return (et_xnn_matrix){
      .id = c->bias, .groups = m->groups, .outputs = m->outputs, .depth = 1};
}

static void put_bias(const et_xnn_weights *w, panel p, const void *request,
                     void *to) {
  float *out = to;
  (void)request;
  for (size_t i = 0; i < p.columns; i++) {
    out[i] = et_xnn_number(w, p.first + i, 0);
  }
}

static size_t padded_columns(const et_xnn_matrix *m) {
  return (size_t)m->groups * (size_t)panels_of(m->outputs) * PANEL;
}

static et_status fill_bias(et_xnn_builder *b, const void *request,
                           void *bytes) {
  const columns *c = request;
  const et_xnn_matrix matrix = bias_matrix(c);
  if (c->bias == ET_XNN_NO_VALUE) {
    memset(bytes, 0, padded_columns(&c->matrix) * sizeof(float));
    return ET_STATUS_OK;
  }
  return put_panels(b, &matrix, put_bias, NULL, PANEL * sizeof(float), bytes);
}

static void put_start(const et_xnn_weights *w, panel p, const void *request,
                      void *to) {
  int32_t *out = to;
  (void)request;
  for (size_t i = 0; i < p.columns; i++) {
    out[i] = et_xnn_code(w, p.first + i, 0);
  }
}

/* Codes of a bias, whose scale is that of the products. */
static et_status fill_start(et_xnn_builder *b, const void *request,
                            void *bytes) {
  const columns *c = request;
  const et_xnn_matrix matrix = bias_matrix(c);
  if (c->bias == ET_XNN_NO_VALUE) {
    memset(bytes, 0, padded_columns(&c->matrix) * sizeof(int32_t));
    return ET_STATUS_OK;
  }
  return put_panels(b, &matrix, put_start, NULL, PANEL * sizeof(int32_t),
                    bytes);
}

static void put_column_scales(const et_xnn_weights *w, panel p,
                              const void *request, void *to) {
  const columns *c = request;
  float *out = to;
  for (size_t i = 0; i < p.columns; i++) {
    out[i] = c->x_scale * et_xnn_scale(w, p.first + i, 0) / c->y_scale;
  }
}

static et_status fill_column_scales(et_xnn_builder *b, const void *request,
                                    void *bytes) {
  const columns *c = request;
  return put_panels(b, &c->matrix, put_column_scales, c, PANEL * sizeof(float),
                    bytes);
}

static inline void sums_by(read_code *code, const et_xnn_weights *w, panel p,
                           int32_t *out) {
  for (size_t i = 0; i < p.columns; i++) {
    const size_t depth = (size_t)w->matrix.depth;
    int32_t sum = 0;
    for (size_t k = 0; k < depth; k++) {
      sum += code(w, p.first + i, k);
    }
    out[i] = sum;
  }
}

/* Pairs of bytes are added as numbers of two bytes, which so many words of eight bytes
 * cannot overflow. */
#define WORDS_AT_ONCE 128
#define EVEN_BYTES UINT64_C(0x00ff00ff00ff00ff)
#define ZEROS UINT64_C(0x8080808080808080) /* bytes above their lowest number */

static int32_t sum_of_words(const uint8_t *bytes, size_t words) {
  uint64_t pairs = 0;
  for (size_t i = 0; i < words; i++) {
    uint64_t word = 0;
    memcpy(&word, bytes + i * sizeof word, sizeof word);
    word ^= ZEROS;
    pairs += (word & EVEN_BYTES) + (word >> 8 & EVEN_BYTES);
  }
  const uint64_t fours = (pairs & UINT64_C(0xffff0000ffff)) +
                         (pairs >> 16 & UINT64_C(0xffff0000ffff));
  return (int32_t)(fours & UINT32_MAX) + (int32_t)(fours >> 32);
}

static int32_t sum_of_bytes(const uint8_t *bytes, size_t count) {
  int32_t sum = 0;
  size_t at = 0;
  while (count - at >= sizeof(uint64_t)) {
    const size_t left = (count - at) / sizeof(uint64_t);
    const size_t words = left < WORDS_AT_ONCE ? left : WORDS_AT_ONCE;
    sum += sum_of_words(bytes + at, words);
    at += words * sizeof(uint64_t);
  }
  sum -= 128 * (int32_t)at;
  for (; at < count; at++) {
    sum += (int8_t)bytes[at];
  }
  return sum;
}

/* Of codes that lie one behind the other. */
static void sums_of_rows(const et_xnn_weights *w, panel p, int32_t *out) {
  const size_t depth = (size_t)w->matrix.depth;
  for (size_t i = 0; i < p.columns; i++) {
    out[i] = sum_of_bytes(w->data + (p.first + i) * depth, depth);
  }
}

static void put_column_sums(const et_xnn_weights *w, panel p,
                            const void *request, void *to) {
  (void)request;
  if (lies_as_bytes(w)) {
    sums_of_rows(w, p, to);
  } else if (et_xnn_has_int8(w)) {
    sums_by(et_xnn_int8, w, p, to);
  } else {
    sums_by(et_xnn_code, w, p, to);
  }
}

static et_status fill_column_sums(et_xnn_builder *b, const void *request,
                                  void *bytes) {
  const columns *c = request;
  return put_panels(b, &c->matrix, put_column_sums, c, PANEL * sizeof(int32_t),
                    bytes);
}

static et_xnn_tensor pack_columns(et_xnn_builder *b, const columns *c,
                                  et_scalar_type dtype, et_xnn_fill *fill) {
  const et_xnn_matrix *m = &c->matrix;
  const et_xnn_packing packing = {
      .dtype = dtype,
      .dims = {.rank = 1,
               .sizes = {times(times(m->groups, panels_of(m->outputs)),
                               PANEL)}},
      .fill = fill,
      .request = c,
      .id = m->id};
  return et_xnn_pack(b, &packing);
}

et_xnn_tensor et_xnn_pack_bias(et_xnn_builder *b, const et_xnn_matrix *m,
                               uint32_t bias) {
  const columns c = {.matrix = *m, .bias = bias};
  return pack_columns(b, &c, ET_SCALAR_TYPE_FLOAT32, fill_bias);
}

void et_xnn_pack_columns(et_xnn_builder *b, const et_xnn_matrix *m,
                         uint32_t bias, et_xnn_tensor out[3]) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_output(b, 0);
  const columns c = {*m, bias, x.quantization.scale, y.quantization.scale};
  out[0] = pack_columns(b, &c, ET_SCALAR_TYPE_INT32, fill_column_sums);
  out[1] = pack_columns(b, &c, ET_SCALAR_TYPE_FLOAT32, fill_column_scales);
  out[2] = pack_columns(b, &c, ET_SCALAR_TYPE_INT32, fill_start);
}

/* Codes by way of their numbers, whatever they are. */
static void words_by_code(const et_xnn_weights *w, panel p,
                          const et_xnn_words *words, uint32_t *out) {
  const size_t codes = 32 / (size_t)words->bits;
  const uint32_t mask = words->bits == 4 ? 15 : 255;
  for (size_t k = 0; k < (size_t)w->matrix.depth; k++) {
    const size_t shift = k % codes * (size_t)words->bits;
    for (size_t c = 0; c < p.columns; c++) {
      const uint32_t code = (uint32_t)et_xnn_code(w, p.first + c, k) & mask;
      out[k / codes * PANEL + c] |= code << shift;
    }
  }
}

/* Whether the codes of a column lie one behind the other as whole bytes. */
static bool lies_in_rows(const et_xnn_weights *w) {
  return lies_as_bytes(w) ||
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
static void move_words(const et_xnn_weights *w, panel p, size_t count,
                       uint32_t *out) {
  const uint32_t turned =
      et_xnn_has_nibbles(&w->value) ? UINT32_C(0x88888888) : 0;
  for (size_t c = 0; c < p.columns; c++) {
    const uint8_t *row = row_of(w, p.first + c);
    for (size_t i = 0; i < count; i++) {
      out[i * PANEL + c] = word_at(row + i * sizeof *out) ^ turned;
    }
  }
}

static void put_words(const et_xnn_weights *w, panel p, const void *request,
                      void *to) {
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
  return put_panels(b, &w->matrix, put_words, w,
                    (size_t)words_of(w) * PANEL * sizeof(uint32_t), bytes);
}

/* Scales of groups are halves of floats, whose lower bits are 0. */
static bool has_half_scales(const et_xnn_value *value) {
  return value->quantization.by == ET_XNN_BY_GROUP;
}

static void put_scales(const et_xnn_weights *w, panel p, const void *request,
                       void *to) {
  const et_xnn_words *words = request;
  const bool in_halves = has_half_scales(&w->value);
  const size_t group = (size_t)words->group;
  float *floats = to;
  uint16_t *halves = to;
  for (size_t k = 0; k < (size_t)w->matrix.depth; k += group) {
    for (size_t c = 0; c < p.columns; c++) {
      const float scale = et_xnn_scale(w, p.first + c, k);
      if (in_halves) {
        halves[k / group * PANEL + c] = (uint16_t)(et_xnn_bits(scale) >> 16);
      } else {
        floats[k / group * PANEL + c] = scale;
      }
    }
  }
}

#define NIBBLES UINT64_C(0x0f0f0f0f0f0f0f0f)

/* Of `count` codes, an even number, two a byte. */
static int32_t sum_of_nibbles(const uint8_t *bytes, size_t count) {
  int32_t sum = -8 * (int32_t)count;
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= count / 2; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, bytes + i, sizeof word);
    word = (word & NIBBLES) + (word >> 4 & NIBBLES);
    word = (word & EVEN_BYTES) + (word >> 8 & EVEN_BYTES);
    sum += (int32_t)(word * UINT64_C(0x0001000100010001) >> 48);
  }
  for (; i < count / 2; i++) {
    sum += (bytes[i] & 15) + (bytes[i] >> 4);
  }
  return sum;
}

/* Of the codes of output `row` from `first` on. */
static int32_t sum_of_group(const et_xnn_weights *w, size_t row, size_t first,
                            size_t group) {
  if (lies_in_rows(w) && group % 2 == 0) {
    return et_xnn_has_nibbles(&w->value)
               ? sum_of_nibbles(row_of(w, row) + first / 2, group)
               : sum_of_bytes(row_of(w, row) + first, group);
  }
  int32_t sum = 0;
  for (size_t k = 0; k < group; k++) {
    sum += et_xnn_code(w, row, first + k);
  }
  return sum;
}

static void put_sums(const et_xnn_weights *w, panel p, const void *request,
                     void *to) {
  const et_xnn_words *words = request;
  const size_t group = (size_t)words->group;
  int32_t *out = to;
  for (size_t c = 0; c < p.columns; c++) {
    for (size_t k = 0; k < (size_t)w->matrix.depth; k += group) {
      out[k / group * PANEL + c] = sum_of_group(w, p.first + c, k, group);
    }
  }
}

static void put_weight_sums(const et_xnn_weights *w, panel p,
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
  return put_panels(
      b, &w->matrix, put_scales, w,
      (size_t)groups_of(w) * PANEL * et_scalar_type_size(scales_of(b, w)),
      bytes);
}

static et_status fill_sums(et_xnn_builder *b, const void *request,
                           void *bytes) {
  const et_xnn_words *w = request;
  return put_panels(b, &w->matrix, put_sums, w,
                    (size_t)groups_of(w) * PANEL * sizeof(int32_t), bytes);
}

static et_status fill_weight_sums(et_xnn_builder *b, const void *request,
                                  void *bytes) {
  const et_xnn_words *w = request;
  return put_panels(b, &w->matrix, put_weight_sums, w, PANEL * sizeof(float),
                    bytes);
}

/* [panels][count][16] of a matrix of one group. */
static et_xnn_tensor pack_words(et_xnn_builder *b, const et_xnn_words *w,
                                et_scalar_type dtype, int32_t count,
                                et_xnn_fill *fill, const char *share) {
  const et_xnn_packing packing = {
      .dtype = dtype,
      .dims = {.rank = 3,
               .sizes = {panels_of(w->matrix.outputs), count, PANEL}},
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
