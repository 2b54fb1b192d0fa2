/* Reads elements of a constant of any datatype. */
#ifndef BACKENDS_XNNPACK_RUNTIME_WEIGHTS_H_
#define BACKENDS_XNNPACK_RUNTIME_WEIGHTS_H_

#include <string.h>

#include "backends/xnnpack/runtime/pack.h"

typedef struct et_xnn_weights {
  et_xnn_matrix matrix;
  et_xnn_value value;
  const uint8_t *data;
  const uint8_t *scales; /* float32, or bfloat16 if scales_are_bf16 */
  size_t row_bytes;      /* bytes per row of 4-bit values */
  bool scales_are_bf16;
} et_xnn_weights;

/* Finds the data of a constant and checks its size and its scales. */
et_status et_xnn_weights_of(et_xnn_builder *b, const et_xnn_matrix *m,
                            et_xnn_weights *out);

/* Returns the number of consecutive elements in memory. They are a row or, if the matrix is
 * transposed, all outputs at one depth. */
static inline size_t et_xnn_line(const et_xnn_matrix *m) {
  return m->is_transposed ? (size_t)m->groups * (size_t)m->outputs
                          : (size_t)m->depth;
}

/* Returns the index of element `k` of output `row`, which is counted over all groups. */
static inline size_t et_xnn_element(const et_xnn_matrix *m, size_t row,
                                    size_t k) {
  const size_t outputs = (size_t)m->groups * (size_t)m->outputs;
  return m->is_transposed ? k * outputs + row : row * (size_t)m->depth + k;
}

/* Return a quantized value minus its zero point. et_xnn_quantized_weight() supports any datatype.
 * et_xnn_int8() supports only int8, which avoids a switch per element. */
int32_t et_xnn_quantized_weight(const et_xnn_weights *w, size_t row, size_t k);
bool et_xnn_has_int8(const et_xnn_weights *w);
static inline int32_t et_xnn_int8(const et_xnn_weights *w, size_t row,
                                  size_t k) {
  return (int8_t)w->data[et_xnn_element(&w->matrix, row, k)] -
         w->value.quantization.zero_point;
}

float et_xnn_scale(const et_xnn_weights *w, size_t row, size_t k);
float et_xnn_number(const et_xnn_weights *w, size_t row, size_t k);

float et_xnn_float_of_half(uint16_t bits);

static inline uint16_t et_xnn_half_at(const uint8_t *bytes, size_t index) {
  uint16_t half = 0;
  memcpy(&half, bytes + index * sizeof half, sizeof half);
  return half;
}

static inline float et_xnn_float_of_bits(uint32_t bits) {
  float number = 0;
  memcpy(&number, &bits, sizeof number);
  return number;
}

static inline float et_xnn_float_of_bfloat16(uint16_t bits) {
  return et_xnn_float_of_bits((uint32_t)bits << 16);
}

#endif /* BACKENDS_XNNPACK_RUNTIME_WEIGHTS_H_ */
