#include <string.h>

#include "backends/xnnpack/runtime/panels.h"

static inline void quads_by(et_xnn_read_weight *code, const et_xnn_weights *w,
                            et_xnn_panel p, int8_t *out) {
  for (size_t k = 0; k < (size_t)w->matrix.depth; k++) {
    for (size_t c = 0; c < p.columns; c++) {
      out[(k / 4 * ET_CPU_PANEL + c) * 4 + k % 4] =
          (int8_t)code(w, p.first + c, k);
    }
  }
}

/* Copies whole quads of consecutive int8 values. */
static void move_quads(const et_xnn_weights *w, et_xnn_panel p, uint8_t *to) {
  const size_t depth = (size_t)w->matrix.depth;
  for (size_t c = 0; c < p.columns; c++) {
    const uint8_t *row = w->data + (p.first + c) * depth;
    for (size_t k = 0; k + 4 <= depth; k += 4) {
      memcpy(to + (k / 4 * ET_CPU_PANEL + c) * 4, row + k, 4);
    }
    for (size_t k = depth / 4 * 4; k < depth; k++) {
      to[(k / 4 * ET_CPU_PANEL + c) * 4 + k % 4] = row[k];
    }
  }
}

static void put_quads(const et_xnn_weights *w, et_xnn_panel p,
                      const void *request, void *to) {
  (void)request;
  if (et_xnn_is_dense_int8(w)) {
    move_quads(w, p, to);
  } else if (et_xnn_has_int8(w)) {
    quads_by(et_xnn_int8, w, p, to);
  } else {
    quads_by(et_xnn_quantized_weight, w, p, to);
  }
}

static size_t quads_of(int32_t depth) { return ((size_t)depth + 3) / 4; }

static et_status fill_quads(et_xnn_builder *b, const void *request,
                            void *bytes) {
  const et_xnn_matrix *m = request;
  return et_xnn_put_panels(b, m, put_quads, NULL,
                           quads_of(m->depth) * ET_CPU_PANEL * 4, bytes);
}

et_xnn_tensor et_xnn_pack_quads(et_xnn_builder *b, const et_xnn_matrix *m) {
  const et_xnn_packing packing = {
      .dtype = ET_SCALAR_TYPE_INT8,
      .dims = {.rank = 4,
               .sizes = {et_xnn_times(m->groups, et_xnn_panels_of(m->outputs)),
                         (int32_t)quads_of(m->depth), ET_CPU_PANEL, 4}},
      .fill = fill_quads,
      .request = m,
      .id = m->id,
      .share = m->is_transposed ? "column quads" : "quads"};
  return et_xnn_pack(b, &packing);
}

/* Depthwise filters: the rows of each filter column are padded to quads. */
typedef struct taps {
  et_xnn_matrix matrix;
  size_t height;
  size_t width;
} taps;

static inline void tap_quads_by(et_xnn_read_weight *code,
                                const et_xnn_weights *w, et_xnn_panel p,
                                const taps *t, int8_t *out) {
  const size_t quads = (t->height + 3) / 4;
  for (size_t y = 0; y < t->height; y++) {
    for (size_t x = 0; x < t->width; x++) {
      int8_t *quad = out + (x * quads + y / 4) * ET_CPU_PANEL * 4 + y % 4;
      for (size_t c = 0; c < p.columns; c++) {
        quad[c * 4] = (int8_t)code(w, p.first + c, y * t->width + x);
      }
    }
  }
}

static void put_tap_quads(const et_xnn_weights *w, et_xnn_panel p,
                          const void *request, void *to) {
  if (et_xnn_has_int8(w)) {
    tap_quads_by(et_xnn_int8, w, p, request, to);
  } else {
    tap_quads_by(et_xnn_quantized_weight, w, p, request, to);
  }
}

static et_status fill_tap_quads(et_xnn_builder *b, const void *request,
                                void *bytes) {
  const taps *t = request;
  return et_xnn_put_panels(b, &t->matrix, put_tap_quads, t,
                           (t->height + 3) / 4 * t->width * ET_CPU_PANEL * 4,
                           bytes);
}

et_xnn_tensor et_xnn_pack_tap_quads(et_xnn_builder *b, const et_xnn_matrix *m,
                                    int32_t height) {
  const taps t = {*m, (size_t)height, (size_t)(m->depth / height)};
  const et_xnn_packing packing = {
      .dtype = ET_SCALAR_TYPE_INT8,
      .dims = {.rank = 4,
               .sizes = {et_xnn_panels_of(m->outputs),
                         (int32_t)((t.height + 3) / 4 * t.width), ET_CPU_PANEL,
                         4}},
      .fill = fill_tap_quads,
      .request = &t,
      .id = m->id,
      .share = "taps"};
  return et_xnn_pack(b, &packing);
}
