#include <string.h>

#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/schema.h"

bool et_xnn_fits_int8(const et_xnn_value *weights) {
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

/* Copies elements of `width` bytes to panels. `width` is a compile-time constant at each call
 * site. */
static inline void move(const et_xnn_weights *w, et_xnn_panel p, size_t width,
                        uint8_t *to) {
  const size_t depth = (size_t)w->matrix.depth;
  const uint8_t *rows[ET_CPU_PANEL];
  for (size_t c = 0; c < p.columns; c++) {
    rows[c] = w->data + et_xnn_element(&w->matrix, p.first + c, 0) * width;
  }
  const size_t stride = (et_xnn_element(&w->matrix, p.first, 1) -
                         et_xnn_element(&w->matrix, p.first, 0)) *
                        width;
  for (size_t k = 0; k < depth; k++, to += ET_CPU_PANEL * width) {
    for (size_t c = 0; c < p.columns; c++) {
      memcpy(to + c * width, rows[c] + k * stride, width);
    }
  }
}

static void put_floats(const et_xnn_weights *w, et_xnn_panel p,
                       const void *request, void *to) {
  float *out = to;
  (void)request;
  if (w->value.datatype == ET_XNN_FP32) {
    move(w, p, sizeof(float), to);
    return;
  }
  for (size_t k = 0; k < (size_t)w->matrix.depth; k++) {
    for (size_t c = 0; c < p.columns; c++) {
      out[k * ET_CPU_PANEL + c] = et_xnn_number(w, p.first + c, k);
    }
  }
}

static void put_float16(const et_xnn_weights *w, et_xnn_panel p,
                        const void *request, void *to) {
  (void)request;
  move(w, p, sizeof(uint16_t), to);
}

static et_status fill_floats(et_xnn_builder *b, const void *request,
                             void *bytes) {
  const et_xnn_matrix *m = request;
  return et_xnn_put_panels(b, m, put_floats, NULL,
                           (size_t)m->depth * ET_CPU_PANEL * sizeof(float),
                           bytes);
}

static et_status fill_float16(et_xnn_builder *b, const void *request,
                              void *bytes) {
  const et_xnn_matrix *m = request;
  return et_xnn_put_panels(b, m, put_float16, NULL,
                           (size_t)m->depth * ET_CPU_PANEL * sizeof(uint16_t),
                           bytes);
}

et_xnn_tensor et_xnn_pack_panels(et_xnn_builder *b, const et_xnn_matrix *m,
                                 et_scalar_type dtype) {
  const bool is_float = dtype == ET_SCALAR_TYPE_FLOAT32;
  const et_xnn_value value = et_xnn_value_at(b->graph, m->id);
  const et_xnn_packing packing = {
      .dtype = dtype,
      .dims = {.rank = 4,
               .sizes = {m->groups, et_xnn_panels_of(m->outputs), m->depth,
                         ET_CPU_PANEL}},
      .fill = is_float ? fill_floats : fill_float16,
      .request = m,
      .id = m->id,
      .share = !et_xnn_is_floating(&value) ? NULL
               : m->is_transposed          ? "columns"
                                           : "panels"};
  return et_xnn_pack(b, &packing);
}
