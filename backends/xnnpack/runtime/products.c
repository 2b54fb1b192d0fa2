#include <string.h>

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/gemm_qd8.h"
#include "backends/cpu/microkernels/matmul.h"
#include "backends/cpu/schema/conv_qs8.h"
#include "backends/cpu/schema/gemm_f32.h"
#include "backends/cpu/schema/gemm_f32_qbw.h"
#include "backends/cpu/schema/gemm_qd8_qbw.h"
#include "backends/cpu/schema/matmul.h"
#include "backends/cpu/schema/round_rows.h"
#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/rules.h"
#include "backends/xnnpack/runtime/words.h"

enum { X, FILTER, BIAS };

/* Returns the filter as a matrix [outputs, depth], or [depth, outputs] if transposed. */
static et_xnn_matrix filter_of(et_xnn_builder *b) {
  const et_xnn_value filter = et_xnn_input(b, FILTER);
  const bool is_transposed = (b->node->flags & ET_XNN_FLAG_TRANSPOSED) != 0;
  if (filter.constant == 0 || filter.dims.rank != 2) {
    et_xnn_reject(b, "weights are not a constant matrix");
  }
  return (et_xnn_matrix){.id = b->node->inputs[FILTER],
                         .groups = 1,
                         .outputs = filter.dims.sizes[is_transposed ? 1 : 0],
                         .depth = filter.dims.sizes[is_transposed ? 0 : 1],
                         .channel_dim = is_transposed ? 1 : 0,
                         .is_transposed = is_transposed};
}

static void infer_gemm(et_xnn_builder *b, const et_xnn_matrix *m) {
  et_xnn_dims dims = et_xnn_dims_of(b, b->node->inputs[X]);
  ET_XNN_REQUIRE(b, dims.rank >= 1, "input has no dims");
  int32_t *last = &dims.sizes[dims.rank - 1];
  ET_XNN_REQUIRE(b, b->mode == ET_XNN_COUNT || *last == m->depth,
                 "input rows have %d elements, expected %d", (int)*last,
                 (int)m->depth);
  *last = m->outputs;
  if ((b->node->flags & ET_XNN_FLAG_RESHAPE_2D) != 0) {
    size_t numel = 0;
    et_xnn_count(&dims, &numel);
    dims = (et_xnn_dims){
        .rank = 2,
        .sizes = {(int32_t)(numel / (size_t)m->outputs), m->outputs}};
  }
  et_xnn_infer(b, 0, &dims);
}

/* Returns the output. If the node flattens its input, the result has as many dimensions as the
 * input. */
static et_xnn_tensor rows_of(et_xnn_builder *b, et_xnn_tensor floats,
                             const et_xnn_matrix *m) {
  et_xnn_dims dims = et_xnn_dims_of(b, b->node->inputs[X]);
  if ((b->node->flags & ET_XNN_FLAG_RESHAPE_2D) == 0) {
    return floats;
  }
  dims.sizes[dims.rank - 1] = m->outputs;
  return et_xnn_view(b, floats, &dims);
}

/* Emits an op whose inputs are x and constants and whose output is float32. */
static void emit_gemm(et_xnn_builder *b, const et_backend_part *part,
                      const et_xnn_matrix *m, const et_xnn_tensor *inputs,
                      uint16_t count, const uint32_t *words,
                      uint16_t word_count) {
  const uint32_t id = b->node->outputs[0];
  const et_xnn_tensor floats = et_xnn_floats_for(b, id);
  et_xnn_emit(b, &(et_xnn_emission){.part = part,
                                    .inputs = inputs,
                                    .input_count = count,
                                    .output = rows_of(b, floats, m),
                                    .words = words,
                                    .word_count = word_count});
  et_xnn_put_floats(b, id, floats);
}

static void multiply_floats(et_xnn_builder *b, const et_xnn_matrix *m,
                            et_xnn_tensor x) {
  const et_cpu_gemm_f32_attributes attributes = {
      .activation = et_xnn_activation_of(b->node)};
  uint32_t words[ET_CPU_GEMM_F32_ATTRIBUTES_WORDS];
  et_cpu_gemm_f32_attributes_write(&attributes, words);
  const et_xnn_tensor panels = et_xnn_pack_panels(b, m, ET_SCALAR_TYPE_FLOAT32);
  const et_xnn_dims packed = {
      .rank = 3,
      .sizes = {et_xnn_panels_of(m->outputs), m->depth, ET_CPU_PANEL}};
  et_xnn_tensor inputs[4] = {x, et_xnn_view(b, panels, &packed),
                             et_xnn_pack_bias(b, m, b->node->inputs[BIAS])};
  const uint16_t count = et_xnn_add_residual(b, inputs, 3);
  emit_gemm(b, &et_cpu_op_gemm_f32, m, inputs, count, words,
            ET_CPU_GEMM_F32_ATTRIBUTES_WORDS);
}

static et_xnn_words words_of(const et_xnn_value *filter, const et_xnn_matrix *m,
                             int32_t max) {
  const int32_t bits = et_xnn_has_nibbles(filter) ? 4 : 8;
  const uint32_t group = filter->quantization.group;
  const int32_t whole =
      group != 0 && group < (uint32_t)m->depth ? (int32_t)group : m->depth;
  return (et_xnn_words){*m, bits, et_xnn_group_size(whole, 32 / bits, max)};
}

/* Emits an int8 GEMM that quantizes rows dynamically. */
static void emit_qd8_gemm(et_xnn_builder *b, const et_xnn_words *w,
                          et_xnn_tensor x) {
  const et_cpu_gemm_qd8_qbw_attributes attributes = {
      .format = {.bits = w->bits}, .activation = et_xnn_activation_of(b->node)};
  uint32_t words[ET_CPU_GEMM_QD8_QBW_ATTRIBUTES_WORDS];
  et_cpu_gemm_qd8_qbw_attributes_write(&attributes, words);
  const et_xnn_tensor inputs[] = {
      x, et_xnn_pack_words(b, w), et_xnn_pack_scales(b, w),
      et_xnn_pack_bias(b, &w->matrix, b->node->inputs[BIAS]),
      w->bits == 4 ? et_xnn_pack_weight_sums(b, w) : et_xnn_pack_sums(b, w)};
  emit_gemm(b, &et_cpu_op_gemm_qd8_qbw, &w->matrix, inputs, 5, words,
            ET_CPU_GEMM_QD8_QBW_ATTRIBUTES_WORDS);
}

/* Emits a float32 GEMM with quantized weights. */
static void emit_qbw_gemm(et_xnn_builder *b, const et_xnn_words *w,
                          et_xnn_tensor x) {
  const et_cpu_gemm_f32_qbw_attributes attributes = {
      .format = {.bits = w->bits}, .activation = et_xnn_activation_of(b->node)};
  uint32_t words[ET_CPU_GEMM_F32_QBW_ATTRIBUTES_WORDS];
  et_cpu_gemm_f32_qbw_attributes_write(&attributes, words);
  const et_xnn_tensor inputs[] = {
      x, et_xnn_pack_words(b, w), et_xnn_pack_scales(b, w),
      et_xnn_pack_bias(b, &w->matrix, b->node->inputs[BIAS])};
  emit_gemm(b, &et_cpu_op_gemm_f32_qbw, &w->matrix, inputs, 4, words,
            ET_CPU_GEMM_F32_QBW_ATTRIBUTES_WORDS);
}

/* Quantizes and dequantizes float32 rows. The Convert node has already done so for float16 rows. */
static et_xnn_tensor rounded_rows(et_xnn_builder *b) {
  const uint32_t id = b->node->inputs[X];
  const et_xnn_dims dims = et_xnn_dims_of(b, id);
  const et_xnn_tensor x = et_xnn_tensor_of(b, id);
  const et_xnn_tensor y = et_xnn_add_scratch(b, ET_SCALAR_TYPE_FLOAT32, &dims);
  const et_cpu_round_rows_attributes attributes = {.row_dims = 1};
  uint32_t words[ET_CPU_ROUND_ROWS_ATTRIBUTES_WORDS];
  et_cpu_round_rows_attributes_write(&attributes, words);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_xnn_op_round_rows,
                            .inputs = &x,
                            .input_count = 1,
                            .output = y,
                            .words = words,
                            .word_count = ET_CPU_ROUND_ROWS_ATTRIBUTES_WORDS});
  return y;
}

/* Returns true if x has at most one row. In this case, each weight is used once, and converting
 * 8-bit weights to float32 is faster than integer arithmetic. */
static bool is_one_row(const et_xnn_value *x) {
  return x->dims.rank >= 1 &&
         x->numel == (size_t)x->dims.sizes[x->dims.rank - 1];
}

static void multiply_numbers(et_xnn_builder *b, const et_xnn_matrix *m) {
  const et_xnn_value x = et_xnn_input(b, X);
  const et_xnn_value filter = et_xnn_input(b, FILTER);
  const et_xnn_value y = et_xnn_output(b, 0);
  const bool has_codes = et_xnn_fits_int8(&filter);
  const et_xnn_words in_bytes = words_of(&filter, m, ET_CPU_QD8_MAX_GROUP);
  const et_xnn_words in_floats = words_of(&filter, m, m->depth);
  const bool has_rows = b->node->rounds_rows || (x.datatype == ET_XNN_QDINT8 &&
                                                 x.quantization.row_dims == 1);
  const bool is_unrounded = has_rows && y.datatype == ET_XNN_FP32;
  if (has_codes && is_unrounded && in_bytes.group != 0 &&
      (in_bytes.bits == 4 || !is_one_row(&x))) {
    emit_qd8_gemm(b, &in_bytes, et_xnn_tensor_of(b, b->node->inputs[X]));
    return;
  }
  const et_xnn_tensor floats =
      is_unrounded ? rounded_rows(b) : et_xnn_floats_of(b, b->node->inputs[X]);
  if (has_codes && in_floats.group != 0) {
    emit_qbw_gemm(b, &in_floats, floats);
  } else {
    multiply_floats(b, m, floats);
  }
}

/* Views rows as the pixels of one image, for a 1 x 1 convolution. */
static et_xnn_tensor as_image(et_xnn_builder *b, uint32_t id, int32_t columns) {
  const et_xnn_dims dims = et_xnn_dims_of(b, id);
  size_t numel = 0;
  et_xnn_count(&dims, &numel);
  const et_xnn_dims image = {
      .rank = 4, .sizes = {1, 1, (int32_t)(numel / (size_t)columns), columns}};
  return et_xnn_view(b, et_xnn_tensor_of(b, id), &image);
}

static void multiply_bytes(et_xnn_builder *b, const et_xnn_matrix *m) {
  const et_xnn_window one = {
      .kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}};
  const et_cpu_conv_qs8_attributes attributes = et_xnn_conv_qs8(b, &one, 1);
  uint32_t words[ET_CPU_CONV_QS8_ATTRIBUTES_WORDS];
  et_xnn_tensor inputs[5] = {as_image(b, b->node->inputs[X], m->depth),
                             et_xnn_pack_quads(b, m)};
  et_xnn_pack_columns(b, m, b->node->inputs[BIAS], inputs + 2);
  et_cpu_conv_qs8_attributes_write(&attributes, words);
  et_xnn_emit(b, &(et_xnn_emission){
                     .part = &et_cpu_op_conv_qs8,
                     .inputs = inputs,
                     .input_count = 5,
                     .output = as_image(b, b->node->outputs[0], m->outputs),
                     .words = words,
                     .word_count = ET_CPU_CONV_QS8_ATTRIBUTES_WORDS});
}

void et_xnn_fully_connected(et_xnn_builder *b) {
  const et_xnn_matrix m = filter_of(b);
  if (b->status != ET_STATUS_OK) {
    return;
  }
  infer_gemm(b, &m);
  if (b->status != ET_STATUS_OK) {
    return;
  }
  if (et_xnn_is_qs8(b)) {
    multiply_bytes(b, &m);
  } else {
    multiply_numbers(b, &m);
  }
}

/* Prepends dimensions of size 1 until there are `rank` dimensions. */
static et_xnn_dims widened(const et_xnn_dims *dims, uint8_t rank) {
  et_xnn_dims wide = {.rank = rank};
  for (uint8_t i = 0; i < rank; i++) {
    const uint8_t missing = (uint8_t)(rank - dims->rank);
    wide.sizes[i] = i < missing ? 1 : dims->sizes[i - missing];
  }
  return wide;
}

static void infer_matrices(et_xnn_builder *b, const et_xnn_dims *x,
                           const et_xnn_dims *y) {
  const bool is_transposed = (b->node->flags & ET_XNN_FLAG_TRANSPOSED) != 0;
  const uint8_t rank = x->rank;
  et_xnn_dims out = *x;
  for (uint8_t i = 0; i + 2 < rank; i++) {
    out.sizes[i] = x->sizes[i] == 1 ? y->sizes[i] : x->sizes[i];
  }
  out.sizes[rank - 1] = y->sizes[rank - (is_transposed ? 2 : 1)];
  et_xnn_infer(b, 0, &out);
}

void et_xnn_matrix_product(et_xnn_builder *b) {
  const et_xnn_dims x = et_xnn_dims_of(b, b->node->inputs[0]);
  const et_xnn_dims y = et_xnn_dims_of(b, b->node->inputs[1]);
  const uint8_t rank = x.rank > y.rank ? x.rank : y.rank;
  ET_XNN_REQUIRE(b, x.rank >= 2 && y.rank >= 2, "inputs are not matrices");
  const et_xnn_dims left = widened(&x, rank);
  const et_xnn_dims right = widened(&y, rank);
  infer_matrices(b, &left, &right);
  const et_xnn_tensor inputs[] = {
      et_xnn_view(b, et_xnn_floats_of(b, b->node->inputs[0]), &left),
      et_xnn_view(b, et_xnn_floats_of(b, b->node->inputs[1]), &right)};
  const et_xnn_dims workspace_dims = {
      .rank = 2, .sizes = {ET_XNN_THREADS, ET_CPU_MATMUL_FLOATS}};
  const et_xnn_tensor floats = et_xnn_floats_for(b, b->node->outputs[0]);
  const et_cpu_matmul_attributes attributes = {
      .transposed = (b->node->flags & ET_XNN_FLAG_TRANSPOSED) != 0};
  uint32_t words[ET_CPU_MATMUL_ATTRIBUTES_WORDS];
  et_cpu_matmul_attributes_write(&attributes, words);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_cpu_op_matmul,
                            .inputs = inputs,
                            .input_count = 2,
                            .output = floats,
                            .workspace = et_xnn_add_scratch(
                                b, ET_SCALAR_TYPE_FLOAT32, &workspace_dims),
                            .workspace_count = 1,
                            .words = words,
                            .word_count = ET_CPU_MATMUL_ATTRIBUTES_WORDS});
  et_xnn_clamp(b, floats);
  et_xnn_put_floats(b, b->node->outputs[0], floats);
}
