#include "backends/xnnpack/runtime/words.h"

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/schema/elementwise_f32.h"
#include "backends/xnnpack/runtime/pack.h"
#include "backends/xnnpack/runtime/schema.h"

et_cpu_activation et_xnn_activation_of(const et_xnn_node *node) {
  return et_xnn_is_bounded(node)
             ? (et_cpu_activation){ET_CPU_ACTIVATION_FUNCTION_CLAMP, node->low,
                                   node->high}
             : (et_cpu_activation){.function = node->activation};
}

et_cpu_window_attributes et_xnn_window_attributes(const et_xnn_window *window) {
  return (et_cpu_window_attributes){
      .kernel = {window->kernel[0], window->kernel[1]},
      .stride = {window->stride[0], window->stride[1]},
      .padding = {window->before[0], window->before[1], window->after[0],
                  window->after[1]},
      .dilation = {window->dilation[0], window->dilation[1]}};
}

et_cpu_conv_qs8_attributes et_xnn_conv_qs8(const et_xnn_builder *b,
                                           const et_xnn_window *window,
                                           int32_t groups) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_output(b, 0);
  et_cpu_conv_qs8_attributes attributes = {
      .window = et_xnn_window_attributes(window),
      .zero_point = x.quantization.zero_point,
      .min_value = x.datatype == ET_XNN_QINT8 ? INT8_MIN : 0,
      .output_quantization = et_xnn_output_quantization(b, &y),
      .groups = groups};
  /* column scales include the scale of y */
  attributes.output_quantization.inverse = 1.0f;
  return attributes;
}

/* Returns true if the bias is int32 or absent. */
static bool has_integer_bias(const et_xnn_builder *b, uint32_t id) {
  if (id == ET_XNN_NO_VALUE) {
    return true;
  }
  const et_xnn_value bias = et_xnn_value_at(b->graph, id);
  return et_xnn_storage(&bias) == ET_SCALAR_TYPE_INT32;
}

bool et_xnn_is_qs8(const et_xnn_builder *b) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value filter = et_xnn_input(b, 1);
  const et_xnn_value y = et_xnn_output(b, 0);
  return et_xnn_is_8_bit(&x) && et_xnn_is_8_bit(&y) &&
         et_xnn_fits_int8(&filter) &&
         filter.quantization.by != ET_XNN_BY_GROUP &&
         has_integer_bias(b, b->node->inputs[2]);
}

void et_xnn_clamp(et_xnn_builder *b, et_xnn_tensor floats) {
  enum { FIXED = ET_CPU_ELEMENTWISE_F32_ATTRIBUTES_WORDS };
  const et_cpu_elementwise_f32_attributes attributes = {.operands = 1};
  const et_cpu_instruction_f32 clamp = {.opcode = ET_CPU_OPCODE_ACTIVATE,
                                        .activation =
                                            et_xnn_activation_of(b->node)};
  uint32_t words[FIXED + ET_CPU_INSTRUCTION_F32_WORDS];
  if (!et_xnn_is_bounded(b->node)) {
    return;
  }
  et_cpu_elementwise_f32_attributes_write(&attributes, words);
  et_cpu_instruction_f32_write(&clamp, words + FIXED);
  et_xnn_emit(b,
              &(et_xnn_emission){.part = &et_cpu_op_elementwise_f32,
                                 .inputs = &floats,
                                 .input_count = 1,
                                 .output = floats,
                                 .words = words,
                                 .word_count = sizeof words / sizeof words[0]});
}

#define MAX_FIELD ET_CPU_MAX_WINDOW

static int32_t field(const et_xnn_node *node, uint16_t number, int32_t min,
                     bool *is_ok) {
  const uint32_t value = et_fb_u32(node->body, number);
  *is_ok = *is_ok && value <= MAX_FIELD && value >= (uint32_t)min;
  return value <= MAX_FIELD ? (int32_t)value : min;
}

bool et_xnn_window_of(const et_xnn_node *node, et_xnn_window *out) {
  bool is_ok = true;
  for (uint16_t i = 0; i < 2; i++) {
    out->kernel[i] =
        field(node, (uint16_t)(ET_XNN_CONV_KERNEL_Y + i), 1, &is_ok);
    out->stride[i] =
        field(node, (uint16_t)(ET_XNN_CONV_STRIDE_Y + i), 1, &is_ok);
    out->dilation[i] =
        field(node, (uint16_t)(ET_XNN_CONV_DILATION_Y + i), 0, &is_ok);
    out->before[i] =
        field(node, i == 0 ? ET_XNN_CONV_TOP : ET_XNN_CONV_LEFT, 0, &is_ok) +
        node->zeros_before[i];
    out->after[i] = field(node, i == 0 ? ET_XNN_CONV_BOTTOM : ET_XNN_CONV_RIGHT,
                          0, &is_ok) +
                    node->zeros_after[i];
    is_ok = is_ok && out->before[i] <= MAX_FIELD && out->after[i] <= MAX_FIELD;
    out->dilation[i] = out->dilation[i] == 0 ? 1 : out->dilation[i];
  }
  return is_ok;
}

bool et_xnn_is_pixel(const et_xnn_window *window) {
  bool is_one = true;
  for (size_t i = 0; i < 2; i++) {
    is_one = is_one && window->kernel[i] == 1 && window->stride[i] == 1 &&
             window->before[i] == 0 && window->after[i] == 0;
  }
  return is_one;
}

bool et_xnn_disjoint_window_of(const et_xnn_node *node, et_xnn_window *out) {
  bool is_ok = true;
  for (uint16_t i = 0; i < 2; i++) {
    out->kernel[i] =
        field(node, (uint16_t)(ET_XNN_CONV_KERNEL_Y + i), 1, &is_ok);
    out->stride[i] = out->kernel[i];
    out->dilation[i] = 1;
    out->before[i] =
        field(node, i == 0 ? ET_XNN_CONV_TOP : ET_XNN_CONV_LEFT, 0, &is_ok);
    out->after[i] =
        field(node, i == 0 ? ET_XNN_CONV_BOTTOM : ET_XNN_CONV_RIGHT, 0, &is_ok);
  }
  return is_ok;
}

int32_t et_xnn_window_outputs(const et_xnn_window *window, size_t axis,
                              int32_t in) {
  const int64_t reach =
      (int64_t)(window->kernel[axis] - 1) * window->dilation[axis] + 1;
  const int64_t left =
      (int64_t)in + window->before[axis] + window->after[axis] - reach;
  return left < 0 ? 0 : (int32_t)(left / window->stride[axis] + 1);
}
