/* Packs weights and biases in the layouts of the CPU backend's ops. */
#ifndef BACKENDS_XNNPACK_RUNTIME_PACK_H_
#define BACKENDS_XNNPACK_RUNTIME_PACK_H_

#include "backends/cpu/schema/kernel_sizes.h"
#include "backends/xnnpack/runtime/builder.h"

/* A constant that has one matrix [outputs, depth] per group. Its layout is
 * [groups, outputs, depth], or [depth, groups, outputs] if it is transposed. */
typedef struct et_xnn_matrix {
  uint32_t id;
  int32_t groups;
  int32_t outputs; /* outputs per group */
  int32_t depth;
  uint8_t channel_dim; /* the dimension that can have per-channel scales */
  bool is_transposed;
} et_xnn_matrix;

/* Returns true if the weights are symmetric and their quantized values fit in int8. */
bool et_xnn_fits_int8(const et_xnn_value *weights);

/* Packs weights as [groups][panels][depth][16] for gemm_f32 and conv_f32. `dtype` is float32,
 * float16 or bfloat16. */
et_xnn_tensor et_xnn_pack_panels(et_xnn_builder *b, const et_xnn_matrix *m,
                                 et_scalar_type dtype);

/* Packs quantized weights in quads (groups of 4 consecutive elements of a column) for conv_qs8 and,
 * with windows of `height` rows, for dwconv_qs8. */
et_xnn_tensor et_xnn_pack_quads(et_xnn_builder *b, const et_xnn_matrix *m);
et_xnn_tensor et_xnn_pack_tap_quads(et_xnn_builder *b, const et_xnn_matrix *m,
                                    int32_t height);

/* Packs a bias as float32 [groups][panels * 16]. Without a bias, packs zeros. */
et_xnn_tensor et_xnn_pack_bias(et_xnn_builder *b, const et_xnn_matrix *m,
                               uint32_t bias);

/* Maximum number of weights per output of int8 ops. */
#define ET_XNN_MAX_QS8_DEPTH (4 * ET_CPU_CONV_QS8_MAX_QUADS)

/* Packs the per-column parameters of an int8 GEMM or convolution whose activations are input 0 of
 * the node: sums of weights, requantization scales and the int32 bias. Sets three tensors. Fails if
 * an output has more than ET_XNN_MAX_QS8_DEPTH weights. */
void et_xnn_pack_columns(et_xnn_builder *b, const et_xnn_matrix *m,
                         uint32_t bias, et_xnn_tensor out[3]);

/* Low-bit weights (4 or 8 bits) with one scale per group. */
typedef struct et_xnn_words {
  et_xnn_matrix matrix;
  int32_t bits;
  int32_t group; /* weights per scale */
} et_xnn_words;

/* Returns the group size of an op: the largest divisor of `whole` that is at most `max` and a
 * multiple of `per_word`, the number of weights per word. Returns 0 if there is none. If `whole`
 * exceeds `max`, the search takes up to max / per_word steps. */
int32_t et_xnn_group_size(int32_t whole, int32_t per_word, int32_t max);

/* Pack the quantized values, their scales, the sums of quantized values per group, and the sums of
 * dequantized weights per column. Scales are bfloat16 if the payload quantizes in groups, and
 * float32 otherwise. */
et_xnn_tensor et_xnn_pack_words(et_xnn_builder *b, const et_xnn_words *w);
et_xnn_tensor et_xnn_pack_scales(et_xnn_builder *b, const et_xnn_words *w);
et_xnn_tensor et_xnn_pack_sums(et_xnn_builder *b, const et_xnn_words *w);
et_xnn_tensor et_xnn_pack_weight_sums(et_xnn_builder *b, const et_xnn_words *w);

#endif /* BACKENDS_XNNPACK_RUNTIME_PACK_H_ */
