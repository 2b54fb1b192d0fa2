/* Weights and biases as ops of the CPU backend read them. */
#ifndef BACKENDS_XNNPACK_RUNTIME_PACK_H_
#define BACKENDS_XNNPACK_RUNTIME_PACK_H_

#include "backends/xnnpack/runtime/builder.h"

/* Columns of a panel. */
#define ET_XNN_PANEL 16

/* A constant seen as matrices, one of each group: `outputs` rows that are each
 * `depth` numbers long, or columns where it is transposed. */
typedef struct et_xnn_matrix {
  uint32_t id;
  int32_t groups;
  int32_t outputs; /* of a group */
  int32_t depth;
  uint8_t channel_dim; /* along which it may have scales */
  bool is_transposed;  /* [depth][groups][outputs] */
} et_xnn_matrix;

/* Whether its codes fit an int8 and stand for multiples of a scale. */
bool et_xnn_has_codes(const et_xnn_value *weights);

/* Floats, or halves, as ops product and convolution read them: [groups][panels]
 * [depth][16]. */
et_xnn_tensor et_xnn_pack_panels(et_xnn_builder *b, const et_xnn_matrix *m,
                                 et_scalar_type dtype);

/* Codes as ops conv_qs8 and, of windows `height` high, dwconv_qs8 read
 * them, four of a column at a time. */
et_xnn_tensor et_xnn_pack_quads(et_xnn_builder *b, const et_xnn_matrix *m);
et_xnn_tensor et_xnn_pack_tap_quads(et_xnn_builder *b, const et_xnn_matrix *m,
                                    int32_t height);

/* Floats of a bias, [groups][panels * 16]; zeros where there is none. */
et_xnn_tensor et_xnn_pack_bias(et_xnn_builder *b, const et_xnn_matrix *m,
                               uint32_t bias);

/* What columns of codes have, for products with bytes of the node's first input:
 * sums of weights, scales and biases. Three tensors. */
void et_xnn_pack_columns(et_xnn_builder *b, const et_xnn_matrix *m,
                         uint32_t bias, et_xnn_tensor out[3]);

/* Weights of 4 or 8 bits, in groups of one scale. */
typedef struct et_xnn_words {
  et_xnn_matrix matrix;
  int32_t bits;
  int32_t group; /* weights */
} et_xnn_words;

/* Codes, scales (bfloat16 where the payload has them of groups, which are no more),
 * sums of each group's codes, and sums of each column's weights. */
et_xnn_tensor et_xnn_pack_words(et_xnn_builder *b, const et_xnn_words *w);
et_xnn_tensor et_xnn_pack_scales(et_xnn_builder *b, const et_xnn_words *w);
et_xnn_tensor et_xnn_pack_sums(et_xnn_builder *b, const et_xnn_words *w);
et_xnn_tensor et_xnn_pack_weight_sums(et_xnn_builder *b, const et_xnn_words *w);

#endif /* BACKENDS_XNNPACK_RUNTIME_PACK_H_ */
