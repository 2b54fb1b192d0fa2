#include "backends/cpu/microkernels/winograd_qs8.h"

#include "backends/cpu/schema/conv_f32.h"
#include "backends/cpu/schema/conv_qs8.h"
#include "backends/cpu/schema/dwconv_f32.h"
#include "backends/cpu/schema/dwconv_qs8.h"
#include "backends/cpu/schema/gemm_f32.h"
#include "backends/cpu/schema/transposed_convolution.h"
#include "backends/cpu/schema/winograd_qs8.h"
#include "backends/xnnpack/runtime/convolution.h"
#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/rules.h"

enum {
  X = ET_XNN_CONV_X,
  FILTER = ET_XNN_CONV_FILTER,
  BIAS = ET_XNN_CONV_BIAS
};

typedef et_xnn_convolution_of convolution;

static uint32_t number(const et_xnn_builder *b, uint16_t field) {
  return et_fb_u32(b->node->body, field);
}

/* Returns true if the filter is a constant with these sizes. */
static bool has_sizes(const et_xnn_value *filter, int64_t first, int64_t height,
                      int64_t width, int64_t last) {
  const int32_t *sizes = filter->dims.sizes;
  return filter->constant != 0 && filter->dims.rank == 4 && sizes[0] == first &&
         sizes[1] == height && sizes[2] == width && sizes[3] == last;
}

void et_xnn_read_convolution(et_xnn_builder *b, convolution *c) {
  const et_xnn_value filter = et_xnn_input(b, FILTER);
  const uint32_t groups = number(b, ET_XNN_CONV_GROUPS);
  const uint32_t channels = number(b, ET_XNN_CONV_GROUP_CHANNELS);
  const uint32_t outputs = number(b, ET_XNN_CONV_GROUP_OUTPUTS);
  ET_XNN_REQUIRE(b, et_xnn_window_of(b->node, &c->window), "window is invalid");
  const int32_t *kernel = c->window.kernel;
  ET_XNN_REQUIRE(b,
                 groups >= 1 && outputs >= 1 && channels >= 1 &&
                     has_sizes(&filter, (int64_t)groups * outputs, kernel[0],
                               kernel[1], channels),
                 "filter is not a constant with sizes [%u * %u, %d, %d, %u]",
                 (unsigned)groups, (unsigned)outputs, (int)kernel[0],
                 (int)kernel[1], (unsigned)channels);
  ET_XNN_REQUIRE(b, (uint64_t)groups * channels <= INT32_MAX,
                 "too many channels");
  c->channels = (int32_t)(groups * channels);
  c->outputs = (int32_t)(groups * outputs);
  c->matrix =
      (et_xnn_matrix){.id = b->node->inputs[FILTER],
                      .groups = (int32_t)groups,
                      .outputs = (int32_t)outputs,
                      .depth = (int32_t)(filter.numel / (size_t)c->outputs)};
}

void et_xnn_read_depthwise(et_xnn_builder *b, convolution *c) {
  const et_xnn_value filter = et_xnn_input(b, FILTER);
  const uint32_t groups = number(b, ET_XNN_CONV_GROUPS);
  const uint32_t outputs = number(b, ET_XNN_CONV_GROUP_OUTPUTS);
  ET_XNN_REQUIRE(b, et_xnn_window_of(b->node, &c->window), "window is invalid");
  const int32_t *kernel = c->window.kernel;
  ET_XNN_REQUIRE(b,
                 groups >= 1 && outputs >= 1 &&
                     number(b, ET_XNN_CONV_GROUP_CHANNELS) == 1 &&
                     has_sizes(&filter, 1, kernel[0], kernel[1],
                               (int64_t)groups * outputs),
                 "filter is not a constant with sizes [1, %d, %d, %u * %u]",
                 (int)kernel[0], (int)kernel[1], (unsigned)groups,
                 (unsigned)outputs);
  c->channels = (int32_t)groups;
  c->outputs = (int32_t)(groups * outputs);
  c->matrix = (et_xnn_matrix){.id = b->node->inputs[FILTER],
                              .groups = (int32_t)groups,
                              .outputs = (int32_t)outputs,
                              .depth = kernel[0] * kernel[1],
                              .channel_dim = 3,
                              .is_transposed = true};
}

et_xnn_dims et_xnn_as_image(const et_xnn_node *layer, et_xnn_dims x) {
  return layer->reads_planar ? (et_xnn_dims){.rank = x.rank,
                                             .sizes = {x.sizes[0], x.sizes[2],
                                                       x.sizes[3], x.sizes[1]}}
                             : x;
}

et_xnn_dims et_xnn_image_dims(const et_xnn_builder *b) {
  return et_xnn_as_image(b->node, et_xnn_dims_of(b, b->node->inputs[X]));
}

static void check_input(et_xnn_builder *b, const convolution *c) {
  const et_xnn_dims x = et_xnn_image_dims(b);
  ET_XNN_REQUIRE(
      b, b->mode == ET_XNN_COUNT || (x.rank == 4 && x.sizes[3] == c->channels),
      "input is not an image with %d channels", (int)c->channels);
}

static void infer(et_xnn_builder *b, const convolution *c) {
  et_xnn_dims dims = et_xnn_image_dims(b);
  check_input(b, c);
  for (size_t i = 0; i < 2 && dims.rank == 4; i++) {
    dims.sizes[1 + i] = et_xnn_window_outputs(&c->window, i, dims.sizes[1 + i]);
  }
  dims.sizes[3] = c->outputs;
  et_xnn_infer(b, 0, &dims);
}

/* Dynamically quantized images have one range per image. */
static void check_rows(et_xnn_builder *b) {
  const et_xnn_value x = et_xnn_input(b, X);
  ET_XNN_REQUIRE(
      b, x.datatype != ET_XNN_QDINT8 || x.quantization.row_dims == 3,
      "input is quantized over its last %u dims, expected 3 (per image)",
      (unsigned)x.quantization.row_dims);
}

void et_xnn_emit_floats(et_xnn_builder *b, const convolution *c,
                        const et_xnn_image_op *op) {
  const uint32_t id = b->node->outputs[0];
  check_rows(b);
  et_xnn_tensor inputs[4] = {
      et_xnn_floats_of(b, b->node->inputs[X]), op->weights,
      et_xnn_pack_bias(b, &c->matrix, b->node->inputs[BIAS])};
  const uint16_t count = et_xnn_add_residual(b, inputs, 3);
  const et_xnn_tensor floats = et_xnn_floats_for(b, id);
  et_xnn_emit(b, &(et_xnn_emission){.part = op->part,
                                    .inputs = inputs,
                                    .input_count = count,
                                    .output = floats,
                                    .workspace = op->workspace,
                                    .workspace_count = op->workspace_count,
                                    .words = op->words,
                                    .word_count = op->word_count});
  et_xnn_put_floats(b, id, floats);
}

static void emit_floats(et_xnn_builder *b, const et_backend_part *part,
                        const convolution *c, et_xnn_tensor weights,
                        const uint32_t *words, uint16_t count) {
  const et_xnn_image_op op = {
      .part = part, .weights = weights, .words = words, .word_count = count};
  et_xnn_emit_floats(b, c, &op);
}

/* Returns true if the convolution is a GEMM over pixels. */
static bool is_gemm(const convolution *c) {
  return c->matrix.groups == 1 && et_xnn_is_pixel(&c->window);
}

static void multiply_pixels(et_xnn_builder *b, const convolution *c) {
  const et_cpu_gemm_f32_attributes attributes = {
      .activation = et_xnn_activation_of(b->node)};
  uint32_t words[ET_CPU_GEMM_F32_ATTRIBUTES_WORDS];
  const et_xnn_dims panels = {
      .rank = 3,
      .sizes = {et_xnn_panels_of(c->outputs), c->channels, ET_CPU_PANEL}};
  const et_xnn_tensor packed =
      et_xnn_pack_panels(b, &c->matrix, ET_SCALAR_TYPE_FLOAT32);
  et_cpu_gemm_f32_attributes_write(&attributes, words);
  emit_floats(b, &et_cpu_op_gemm_f32, c, et_xnn_view(b, packed, &panels), words,
              ET_CPU_GEMM_F32_ATTRIBUTES_WORDS);
}

/* Writes the attributes of `conv_f32`. */
static void fill_conv_words(const et_xnn_builder *b, const convolution *c,
                            uint32_t words[ET_CPU_CONV_F32_ATTRIBUTES_WORDS]) {
  const et_cpu_conv_f32_attributes attributes = {
      .planar = b->node->reads_planar,
      .window = et_xnn_window_attributes(&c->window),
      .groups = c->matrix.groups,
      .activation = et_xnn_activation_of(b->node)};
  et_cpu_conv_f32_attributes_write(&attributes, words);
}

static void convolve_windows(et_xnn_builder *b, const convolution *c) {
  uint32_t words[ET_CPU_CONV_F32_ATTRIBUTES_WORDS];
  fill_conv_words(b, c, words);
  emit_floats(b, &et_cpu_op_conv_f32, c,
              et_xnn_pack_panels(b, &c->matrix, ET_SCALAR_TYPE_FLOAT32), words,
              ET_CPU_CONV_F32_ATTRIBUTES_WORDS);
}

static void convolve_floats(et_xnn_builder *b, const convolution *c) {
  if (is_gemm(c)) {
    multiply_pixels(b, c);
  } else if (et_xnn_prefers_winograd(b, c)) {
    et_xnn_emit_winograd(b, c);
  } else {
    convolve_windows(b, c);
  }
}

/* Emits an int8 op. `op` has the part, attribute words and workspace. Inputs and output are added
 * here. */
static void emit_bytes(et_xnn_builder *b, et_xnn_emission op,
                       const convolution *c, et_xnn_tensor weights) {
  et_xnn_tensor inputs[5] = {et_xnn_tensor_of(b, b->node->inputs[X]), weights};
  et_xnn_pack_columns(b, &c->matrix, b->node->inputs[BIAS], inputs + 2);
  op.inputs = inputs;
  op.input_count = 5;
  op.output = et_xnn_tensor_of(b, b->node->outputs[0]);
  et_xnn_emit(b, &op);
}

static void convolve_bytes(et_xnn_builder *b, const convolution *c) {
  const et_cpu_conv_qs8_attributes attributes =
      et_xnn_conv_qs8(b, &c->window, c->matrix.groups);
  uint32_t words[ET_CPU_CONV_QS8_ATTRIBUTES_WORDS];
  et_cpu_conv_qs8_attributes_write(&attributes, words);
  const et_xnn_emission op = {.part = &et_cpu_op_conv_qs8,
                              .words = words,
                              .word_count = ET_CPU_CONV_QS8_ATTRIBUTES_WORDS};
  emit_bytes(b, op, c, et_xnn_pack_quads(b, &c->matrix));
}

static void convolve_winograd_qs8(et_xnn_builder *b, const convolution *c) {
  const size_t tiles = et_xnn_winograd_tiles_i8(b, c);
  const et_cpu_conv_qs8_attributes conv = et_xnn_conv_qs8(b, &c->window, 1);
  const et_cpu_winograd_qs8_attributes attributes = {
      .window = conv.window,
      .zero_point = conv.zero_point,
      .min_value = conv.min_value,
      .output_quantization = conv.output_quantization,
      .tiles = (int32_t)tiles};
  uint32_t words[ET_CPU_WINOGRAD_QS8_ATTRIBUTES_WORDS];
  et_cpu_winograd_qs8_attributes_write(&attributes, words);
  const et_xnn_emission op = {
      .part = &et_cpu_op_winograd_qs8,
      .words = words,
      .word_count = ET_CPU_WINOGRAD_QS8_ATTRIBUTES_WORDS,
      .workspace = et_xnn_workspaces(
          b, (size_t)et_cpu_winograd_words_i8(tiles, (size_t)c->channels)),
      .workspace_count = 1};
  emit_bytes(b, op, c, et_xnn_pack_winograd_i8(b, c));
}

static void convolve(et_xnn_builder *b, const convolution *c) {
  if (et_xnn_is_qs8(b) && et_xnn_prefers_winograd_i8(b, c)) {
    convolve_winograd_qs8(b, c);
  } else if (et_xnn_is_qs8(b)) {
    convolve_bytes(b, c);
  } else {
    convolve_floats(b, c);
  }
}

void et_xnn_convolution(et_xnn_builder *b) {
  convolution c;
  et_xnn_read_convolution(b, &c);
  if (b->status == ET_STATUS_OK) {
    infer(b, &c);
    convolve(b, &c);
  }
}

/* Emits dwconv_f32. The filters are columns of one matrix. */
static void filter_floats(et_xnn_builder *b, const convolution *c) {
  const et_cpu_dwconv_f32_attributes attributes = {
      .window = et_xnn_window_attributes(&c->window),
      .activation = et_xnn_activation_of(b->node)};
  uint32_t words[ET_CPU_DWCONV_F32_ATTRIBUTES_WORDS];
  const et_xnn_tensor panels =
      et_xnn_pack_panels(b, &c->matrix, ET_SCALAR_TYPE_FLOAT32);
  const et_xnn_dims taps = {
      .rank = 3,
      .sizes = {et_xnn_panels_of(c->outputs), c->matrix.depth, ET_CPU_PANEL}};
  et_cpu_dwconv_f32_attributes_write(&attributes, words);
  emit_floats(b, &et_cpu_op_dwconv_f32, c, et_xnn_view(b, panels, &taps), words,
              ET_CPU_DWCONV_F32_ATTRIBUTES_WORDS);
}

static void filter_bytes(et_xnn_builder *b, const convolution *c) {
  const et_cpu_conv_qs8_attributes conv = et_xnn_conv_qs8(b, &c->window, 1);
  const et_cpu_dwconv_qs8_attributes attributes = {
      .window = conv.window,
      .zero_point = conv.zero_point,
      .min_value = conv.min_value,
      .output_quantization = conv.output_quantization};
  uint32_t words[ET_CPU_DWCONV_QS8_ATTRIBUTES_WORDS];
  et_cpu_dwconv_qs8_attributes_write(&attributes, words);
  const et_xnn_emission op = {.part = &et_cpu_op_dwconv_qs8,
                              .words = words,
                              .word_count = ET_CPU_DWCONV_QS8_ATTRIBUTES_WORDS};
  emit_bytes(b, op, c,
             et_xnn_pack_tap_quads(b, &c->matrix, c->window.kernel[0]));
}

void et_xnn_as_columns(convolution *c) {
  c->matrix.outputs = c->outputs;
  c->matrix.groups = 1;
}

static void filter(et_xnn_builder *b, convolution *c) {
  const bool is_qs8 = et_xnn_is_qs8(b);
  const bool fits = is_qs8 ? c->matrix.depth <= ET_CPU_DWCONV_QS8_MAX_TAPS
                           : c->window.kernel[0] <= ET_CPU_DWCONV_F32_MAX_ROWS;
  if (c->matrix.outputs != 1 || !fits) {
    convolve(b, c);
    return;
  }
  et_xnn_as_columns(c);
  if (is_qs8) {
    filter_bytes(b, c);
  } else {
    filter_floats(b, c);
  }
}

void et_xnn_depthwise(et_xnn_builder *b) {
  convolution c;
  et_xnn_read_depthwise(b, &c);
  if (b->status == ET_STATUS_OK) {
    infer(b, &c);
    filter(b, &c);
  }
}

static void infer_transposed(et_xnn_builder *b, const convolution *c) {
  et_xnn_dims dims = et_xnn_dims_of(b, b->node->inputs[X]);
  const et_xnn_window *w = &c->window;
  check_input(b, c);
  for (uint16_t i = 0; i < 2 && dims.rank == 4; i++) {
    const int64_t size = (int64_t)(dims.sizes[1 + i] - 1) * w->stride[i] +
                         (int64_t)(w->kernel[i] - 1) * w->dilation[i] + 1 -
                         w->before[i] - w->after[i] +
                         number(b, (uint16_t)(ET_XNN_CONV_ADJUST_Y + i));
    ET_XNN_REQUIRE(
        b, size > 0 && size <= INT32_MAX,
        "output has %lld pixels along an axis, expected 1 to INT32_MAX",
        (long long)size);
    dims.sizes[1 + i] = (int32_t)size;
  }
  dims.sizes[3] = c->outputs;
  et_xnn_infer(b, 0, &dims);
}

void et_xnn_transposed_convolution(et_xnn_builder *b) {
  convolution c;
  uint32_t words[ET_CPU_CONV_F32_ATTRIBUTES_WORDS];
  et_xnn_read_convolution(b, &c);
  if (b->status != ET_STATUS_OK) {
    return;
  }
  infer_transposed(b, &c);
  fill_conv_words(b, &c, words);
  emit_floats(b, &et_xnn_op_transposed_convolution, &c,
              et_xnn_pack_panels(b, &c.matrix, ET_SCALAR_TYPE_FLOAT32), words,
              sizeof words / sizeof words[0]);
}
