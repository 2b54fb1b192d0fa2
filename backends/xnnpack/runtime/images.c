#include "backends/cpu/microkernels/resize.h"
#include "backends/cpu/schema/argmax_pool.h"
#include "backends/cpu/schema/pool_f32.h"
#include "backends/cpu/schema/pool_qs8.h"
#include "backends/cpu/schema/resize.h"
#include "backends/xnnpack/runtime/panels.h"
#include "backends/xnnpack/runtime/rules.h"
#include "backends/xnnpack/runtime/words.h"

static bool is_qs8(const et_xnn_builder *b) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_output(b, 0);
  return et_xnn_is_8_bit(&x) && et_xnn_is_8_bit(&y);
}

/* Sizes of the input and the output as images. */
typedef struct images {
  et_xnn_dims x;
  et_xnn_dims y;
} images;

static void pool_bytes(et_xnn_builder *b, const images *sides,
                       const et_cpu_pool_f32_attributes *pool) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_output(b, 0);
  const et_cpu_pool_qs8_attributes attributes = {
      .pool = *pool,
      .params = et_xnn_quant_params(&x),
      .output_quantization = et_xnn_output_quantization(b, &y)};
  uint32_t words[ET_CPU_POOL_QS8_ATTRIBUTES_WORDS];
  et_cpu_pool_qs8_attributes_write(&attributes, words);
  const et_xnn_tensor from =
      et_xnn_view(b, et_xnn_tensor_of(b, b->node->inputs[0]), &sides->x);
  const et_xnn_tensor to =
      et_xnn_view(b, et_xnn_tensor_of(b, b->node->outputs[0]), &sides->y);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_cpu_op_pool_qs8,
                            .inputs = &from,
                            .input_count = 1,
                            .output = to,
                            .words = words,
                            .word_count = ET_CPU_POOL_QS8_ATTRIBUTES_WORDS});
}

static void pool_floats(et_xnn_builder *b, const images *sides,
                        const et_cpu_pool_f32_attributes *pool) {
  uint32_t words[ET_CPU_POOL_F32_ATTRIBUTES_WORDS];
  et_cpu_pool_f32_attributes_write(pool, words);
  const uint32_t id = b->node->outputs[0];
  const et_xnn_tensor from =
      et_xnn_view(b, et_xnn_floats_of(b, b->node->inputs[0]), &sides->x);
  const et_xnn_tensor floats = et_xnn_floats_for(b, id);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_cpu_op_pool_f32,
                            .inputs = &from,
                            .input_count = 1,
                            .output = et_xnn_view(b, floats, &sides->y),
                            .words = words,
                            .word_count = ET_CPU_POOL_F32_ATTRIBUTES_WORDS});
  et_xnn_clamp(b, floats);
  et_xnn_put_floats(b, id, floats);
}

static void pool(et_xnn_builder *b, const images *sides,
                 const et_xnn_window *window) {
  const et_cpu_pool_f32_attributes attributes = {
      .mode = b->node->tag == ET_XNN_NODE_MAX_POOL ? ET_CPU_POOL_MODE_MAX
                                                   : ET_CPU_POOL_MODE_AVG,
      .window = et_xnn_window_attributes(window)};
  if (is_qs8(b)) {
    pool_bytes(b, sides, &attributes);
  } else {
    pool_floats(b, sides, &attributes);
  }
}

void et_xnn_pool(et_xnn_builder *b) {
  et_xnn_window window;
  images sides = {.x = et_xnn_dims_of(b, b->node->inputs[0])};
  ET_XNN_REQUIRE(b, sides.x.rank == 4, "input is not an image");
  ET_XNN_REQUIRE(b, et_xnn_window_of(b->node, &window), "window is invalid");
  sides.y = sides.x;
  for (size_t i = 0; i < 2; i++) {
    sides.y.sizes[1 + i] =
        et_xnn_window_outputs(&window, i, sides.x.sizes[1 + i]);
  }
  et_xnn_infer(b, 0, &sides.y);
  sides.y = et_xnn_dims_of(b, b->node->outputs[0]);
  pool(b, &sides, &window);
}

/* Returns the product of the dimensions before those of the image, or a negative number if it
 * overflows, which is only possible if the input is empty. */
static int32_t images_in(const et_xnn_dims *dims) {
  int32_t count = 1;
  for (uint8_t i = 0; i + 3 < dims->rank; i++) {
    count = et_xnn_times(count, dims->sizes[i]);
  }
  return count;
}

void et_xnn_global_pool(et_xnn_builder *b) {
  const et_xnn_dims x = et_xnn_dims_of(b, b->node->inputs[0]);
  const et_xnn_window whole = {.stride = {1, 1}, .dilation = {1, 1}};
  const bool keeps = (b->node->flags & ET_XNN_FLAG_KEEP_DIMS) != 0;
  ET_XNN_REQUIRE(b, x.rank >= 3, "input is not an image");
  const int32_t *last = &x.sizes[x.rank - 3];
  const int32_t count = images_in(&x);
  const images sides = {
      {.rank = 4, .sizes = {count, last[0], last[1], last[2]}},
      {.rank = 4, .sizes = {count, 1, 1, last[2]}}};
  et_xnn_dims y = x;
  y.rank = (uint8_t)(x.rank - (keeps ? 0 : 2));
  y.sizes[x.rank - 3] = 1;
  y.sizes[x.rank - 2] = 1;
  y.sizes[y.rank - 1] = last[2];
  et_xnn_infer(b, 0, &y);
  pool(b, &sides, &whole);
}

void et_xnn_argmax_pool(et_xnn_builder *b) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_output(b, 0);
  const et_xnn_value index_value = et_xnn_output(b, 1);
  et_xnn_dims dims = et_xnn_dims_of(b, b->node->inputs[0]);
  et_xnn_window window;
  ET_XNN_REQUIRE(b,
                 x.datatype == ET_XNN_FP32 && y.datatype == ET_XNN_FP32 &&
                     index_value.datatype == ET_XNN_INT32 && dims.rank == 4,
                 "expected float32 images and int32 indices");
  ET_XNN_REQUIRE(b, et_xnn_disjoint_window_of(b->node, &window),
                 "window is invalid");
  for (size_t i = 0; i < 2; i++) {
    dims.sizes[1 + i] = et_xnn_window_outputs(&window, i, dims.sizes[1 + i]);
  }
  et_xnn_infer(b, 0, &dims);
  et_xnn_infer(b, 1, &dims);
  const et_xnn_tensor from = et_xnn_tensor_of(b, b->node->inputs[0]);
  const et_cpu_argmax_pool_attributes attributes = {
      .kernel = {window.kernel[0], window.kernel[1]},
      .padding = {window.before[0], window.before[1]}};
  uint32_t words[ET_CPU_ARGMAX_POOL_ATTRIBUTES_WORDS];
  et_cpu_argmax_pool_attributes_write(&attributes, words);
  et_xnn_emit(b, &(et_xnn_emission){
                     .part = &et_xnn_op_argmax_pool,
                     .inputs = &from,
                     .input_count = 1,
                     .output = et_xnn_tensor_of(b, b->node->outputs[0]),
                     .second_output = et_xnn_tensor_of(b, b->node->outputs[1]),
                     .output_count = 2,
                     .words = words,
                     .word_count = ET_CPU_ARGMAX_POOL_ATTRIBUTES_WORDS});
}

#define MAX_PIXELS (1 << 24)

void et_xnn_resize(et_xnn_builder *b) {
  const uint32_t id = b->node->outputs[0];
  const uint32_t height = et_fb_u32(b->node->body, ET_XNN_RESIZE_HEIGHT);
  const uint32_t width = et_fb_u32(b->node->body, ET_XNN_RESIZE_WIDTH);
  et_xnn_dims dims = et_xnn_dims_of(b, b->node->inputs[0]);
  ET_XNN_REQUIRE(b, dims.rank == 4, "input is not an image");
  ET_XNN_REQUIRE(
      b,
      height >= 1 && width >= 1 && height <= MAX_PIXELS && width <= MAX_PIXELS,
      "output size of %u x %u pixels is not supported", (unsigned)height,
      (unsigned)width);
  dims.sizes[1] = (int32_t)height;
  dims.sizes[2] = (int32_t)width;
  et_xnn_infer(b, 0, &dims);
  const et_xnn_tensor x = et_xnn_floats_of(b, b->node->inputs[0]);
  const et_xnn_tensor y = et_xnn_floats_for(b, id);
  const et_cpu_resize_attributes attributes = {
      .mode = ET_CPU_RESIZE_MODE_LINEAR,
      .align_corners = (b->node->flags & ET_XNN_FLAG_ALIGN_CORNERS) != 0};
  uint32_t words[ET_CPU_RESIZE_ATTRIBUTES_WORDS];
  et_cpu_resize_attributes_write(&attributes, words);
  et_xnn_emit(b,
              &(et_xnn_emission){.part = &et_cpu_op_resize,
                                 .inputs = &x,
                                 .input_count = 1,
                                 .output = y,
                                 .words = words,
                                 .word_count = ET_CPU_RESIZE_ATTRIBUTES_WORDS});
  et_xnn_put_floats(b, id, y);
}
