#include <string.h>

#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/quantized_sums.h"

/* Parameters of columns, [groups][panels * 16]. */
typedef struct columns {
  et_xnn_matrix matrix; /* matrix of weights */
  uint32_t bias;
  float x_scale; /* scale of the input */
  float y_scale; /* scale of the output */
} columns;

static et_xnn_matrix bias_matrix(const columns *c) {
  const et_xnn_matrix *m = &c->matrix;
  return (et_xnn_matrix){
      .id = c->bias, .groups = m->groups, .outputs = m->outputs, .depth = 1};
}

static void put_bias(const et_xnn_weights *w, et_xnn_panel p,
                     const void *request, void *to) {
  float *out = to;
  (void)request;
  for (size_t i = 0; i < p.columns; i++) {
    out[i] = et_xnn_number(w, p.first + i, 0);
  }
}

static size_t padded_columns(const et_xnn_matrix *m) {
  return (size_t)m->groups * (size_t)et_xnn_panels_of(m->outputs) *
         ET_CPU_PANEL;
}

/* Fills columns of 4-byte elements from the bias, or with zeros if there is none. */
static et_status fill_from_bias(et_xnn_builder *b, const columns *c,
                                et_xnn_put_panel *put, void *bytes) {
  const et_xnn_matrix matrix = bias_matrix(c);
  if (c->bias == ET_XNN_NO_VALUE) {
    memset(bytes, 0, padded_columns(&c->matrix) * sizeof(int32_t));
    return ET_STATUS_OK;
  }
  return et_xnn_put_panels(b, &matrix, put, NULL,
                           ET_CPU_PANEL * sizeof(int32_t), bytes);
}

static et_status fill_bias(et_xnn_builder *b, const void *request,
                           void *bytes) {
  return fill_from_bias(b, request, put_bias, bytes);
}

static void put_start(const et_xnn_weights *w, et_xnn_panel p,
                      const void *request, void *to) {
  int32_t *out = to;
  (void)request;
  for (size_t i = 0; i < p.columns; i++) {
    out[i] = et_xnn_quantized_weight(w, p.first + i, 0);
  }
}

/* The scale of a quantized bias is that of the accumulators, so it is added without conversion. */
static et_status fill_start(et_xnn_builder *b, const void *request,
                            void *bytes) {
  return fill_from_bias(b, request, put_start, bytes);
}

static void put_column_scales(const et_xnn_weights *w, et_xnn_panel p,
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
  return et_xnn_put_panels(b, &c->matrix, put_column_scales, c,
                           ET_CPU_PANEL * sizeof(float), bytes);
}

static inline void sums_by(et_xnn_read_weight *code, const et_xnn_weights *w,
                           et_xnn_panel p, int32_t *out) {
  for (size_t i = 0; i < p.columns; i++) {
    const size_t depth = (size_t)w->matrix.depth;
    int32_t sum = 0;
    for (size_t k = 0; k < depth; k++) {
      sum += code(w, p.first + i, k);
    }
    out[i] = sum;
  }
}

/* Sums columns of consecutive int8 values. */
static void sums_of_rows(const et_xnn_weights *w, et_xnn_panel p,
                         int32_t *out) {
  const size_t depth = (size_t)w->matrix.depth;
  for (size_t i = 0; i < p.columns; i++) {
    out[i] = et_xnn_sum_of_int8(w->data + (p.first + i) * depth, depth);
  }
}

static void put_column_sums(const et_xnn_weights *w, et_xnn_panel p,
                            const void *request, void *to) {
  (void)request;
  if (et_xnn_is_dense_int8(w)) {
    sums_of_rows(w, p, to);
  } else if (et_xnn_has_int8(w)) {
    sums_by(et_xnn_int8, w, p, to);
  } else {
    sums_by(et_xnn_quantized_weight, w, p, to);
  }
}

static et_status fill_column_sums(et_xnn_builder *b, const void *request,
                                  void *bytes) {
  const columns *c = request;
  return et_xnn_put_panels(b, &c->matrix, put_column_sums, c,
                           ET_CPU_PANEL * sizeof(int32_t), bytes);
}

static et_xnn_tensor pack_columns(et_xnn_builder *b, const columns *c,
                                  et_scalar_type dtype, et_xnn_fill *fill) {
  const et_xnn_matrix *m = &c->matrix;
  const et_xnn_packing packing = {
      .dtype = dtype,
      .dims = {.rank = 1,
               .sizes = {et_xnn_times(
                   et_xnn_times(m->groups, et_xnn_panels_of(m->outputs)),
                   ET_CPU_PANEL)}},
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
  /* With more weights, their sum could overflow int32. */
  ET_XNN_REQUIRE(b, m->depth <= ET_XNN_MAX_QS8_DEPTH,
                 "int8 layer has %d weights per output, expected at most %d",
                 (int)m->depth, ET_XNN_MAX_QS8_DEPTH);
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_output(b, 0);
  const columns c = {*m, bias, x.quantization.scale, y.quantization.scale};
  out[0] = pack_columns(b, &c, ET_SCALAR_TYPE_INT32, fill_column_sums);
  out[1] = pack_columns(b, &c, ET_SCALAR_TYPE_FLOAT32, fill_column_scales);
  out[2] = pack_columns(b, &c, ET_SCALAR_TYPE_INT32, fill_start);
}
