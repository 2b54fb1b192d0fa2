#include <math.h>
#include <string.h>

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/schema/add_qs8.h"
#include "backends/cpu/schema/binary_qs8.h"
#include "backends/cpu/schema/elementwise_f32.h"
#include "backends/cpu/schema/lut_qs8.h"
#include "backends/cpu/schema/softmax.h"
#include "backends/xnnpack/runtime/rules.h"

/* A program of elementwise_f32. Registers are the operands, followed by the results. */
#define MAX_INSTRUCTIONS 6

typedef struct program {
  uint32_t operands;
  uint32_t count;
  et_cpu_instruction_f32 instructions[MAX_INSTRUCTIONS];
} program;

static int32_t last_of(const program *p) {
  return (int32_t)(p->operands + p->count - 1);
}

/* Adds an instruction whose operands are registers. Returns the register of its result. */
static int32_t add(program *p, uint32_t opcode, int32_t first, int32_t second,
                   int32_t third) {
  p->instructions[p->count++] = (et_cpu_instruction_f32){
      .opcode = opcode, .registers = {first, second, third}};
  return last_of(p);
}

static void activate(program *p, int32_t from, uint32_t function, float low,
                     float high) {
  p->instructions[p->count++] =
      (et_cpu_instruction_f32){.opcode = ET_CPU_OPCODE_ACTIVATE,
                               .registers = {from},
                               .activation = {function, low, high}};
}

/* Opcodes of the nodes that become one instruction. */
static const uint8_t opcodes[ET_XNN_NODE_TAG_COUNT] = {
    [ET_XNN_NODE_ADD] = ET_CPU_OPCODE_ADD,
    [ET_XNN_NODE_SUBTRACT] = ET_CPU_OPCODE_SUB,
    [ET_XNN_NODE_MULTIPLY] = ET_CPU_OPCODE_MUL,
    [ET_XNN_NODE_DIVIDE] = ET_CPU_OPCODE_DIV,
    [ET_XNN_NODE_MAXIMUM] = ET_CPU_OPCODE_MAX,
    [ET_XNN_NODE_MINIMUM] = ET_CPU_OPCODE_MIN,
    [ET_XNN_NODE_NEGATE] = ET_CPU_OPCODE_NEG,
    [ET_XNN_NODE_ABSOLUTE] = ET_CPU_OPCODE_ABS,
    [ET_XNN_NODE_EXPONENTIAL] = ET_CPU_OPCODE_EXP,
    [ET_XNN_NODE_LOGARITHM] = ET_CPU_OPCODE_LOG,
    [ET_XNN_NODE_SQUARE_ROOT] = ET_CPU_OPCODE_SQRT,
    [ET_XNN_NODE_RECIPROCAL_ROOT] = ET_CPU_OPCODE_RSQRT,
    [ET_XNN_NODE_SINE] = ET_CPU_OPCODE_SIN,
    [ET_XNN_NODE_COSINE] = ET_CPU_OPCODE_COS,
    [ET_XNN_NODE_FLOOR] = ET_CPU_OPCODE_FLOOR,
    [ET_XNN_NODE_CEILING] = ET_CPU_OPCODE_CEIL,
};
static const uint8_t activations[ET_XNN_NODE_TAG_COUNT] = {
    [ET_XNN_NODE_SIGMOID] = ET_CPU_ACTIVATION_FUNCTION_SIGMOID,
    [ET_XNN_NODE_HARDSWISH] = ET_CPU_ACTIVATION_FUNCTION_HARDSWISH,
    [ET_XNN_NODE_GELU] = ET_CPU_ACTIVATION_FUNCTION_GELU,
    [ET_XNN_NODE_TANH] = ET_CPU_ACTIVATION_FUNCTION_TANH,
    [ET_XNN_NODE_LEAKY_RELU] = ET_CPU_ACTIVATION_FUNCTION_LEAKY_RELU,
    [ET_XNN_NODE_ELU] = ET_CPU_ACTIVATION_FUNCTION_ELU,
};

/* Adds a < 0 ? a * b : a. */
static void add_prelu(program *p) {
  const int32_t zero = add(p, ET_CPU_OPCODE_CONSTANT, 0, 0, 0);
  const int32_t is_negative = add(p, ET_CPU_OPCODE_LT, 0, zero, 0);
  const int32_t product = add(p, ET_CPU_OPCODE_MUL, 0, 1, 0);
  add(p, ET_CPU_OPCODE_WHERE, is_negative, product, 0);
}

static float parameter_of(const et_xnn_node *node) {
  const bool has_one =
      node->tag == ET_XNN_NODE_LEAKY_RELU || node->tag == ET_XNN_NODE_ELU;
  return has_one ? et_fb_f32(node->body, ET_XNN_UNARY_PARAMETER) : 0.0f;
}

static program program_of(const et_xnn_node *node) {
  program p = {.operands = node->input_count};
  if (node->tag == ET_XNN_NODE_PRELU) {
    add_prelu(&p);
  } else if (node->tag == ET_XNN_NODE_SQUARE) {
    add(&p, ET_CPU_OPCODE_MUL, 0, 0, 0);
  } else if (activations[node->tag] != 0) {
    activate(&p, 0, activations[node->tag], parameter_of(node), 0.0f);
  } else if (opcodes[node->tag] != 0) {
    add(&p, opcodes[node->tag], 0, node->input_count - 1, 0);
  }
  if (et_xnn_is_bounded(node) || p.count == 0) {
    activate(&p, last_of(&p), ET_CPU_ACTIVATION_FUNCTION_CLAMP, node->low,
             node->high);
  }
  return p;
}

/* Maximum number of attribute words of a program. */
#define FIXED_WORDS ET_CPU_ELEMENTWISE_F32_ATTRIBUTES_WORDS
#define PROGRAM_WORDS \
  (FIXED_WORDS + MAX_INSTRUCTIONS * ET_CPU_INSTRUCTION_F32_WORDS)

/* Encodes the program. Returns the number of words. */
static uint16_t write_program(const program *p, uint32_t words[PROGRAM_WORDS]) {
  const et_cpu_elementwise_f32_attributes attributes = {
      .operands = (int32_t)p->operands};
  uint32_t *at = words + FIXED_WORDS;
  et_cpu_elementwise_f32_attributes_write(&attributes, words);
  for (uint32_t i = 0; i < p->count; i++, at += ET_CPU_INSTRUCTION_F32_WORDS) {
    et_cpu_instruction_f32_write(&p->instructions[i], at);
  }
  return (uint16_t)(at - words);
}

/* Values of any datatype are converted to float32. */
static void map_floats(et_xnn_builder *b) {
  const et_xnn_node *node = b->node;
  et_xnn_tensor inputs[2] = {0, 0};
  uint32_t words[PROGRAM_WORDS];
  const program p = program_of(node);
  const uint16_t word_count = write_program(&p, words);
  for (uint8_t i = 0; i < node->input_count; i++) {
    inputs[i] = et_xnn_floats_of(b, node->inputs[i]);
  }
  const et_xnn_tensor floats = et_xnn_floats_for(b, node->outputs[0]);
  et_xnn_emit(b, &(et_xnn_emission){.part = &et_cpu_op_elementwise_f32,
                                    .inputs = inputs,
                                    .input_count = node->input_count,
                                    .output = floats,
                                    .words = words,
                                    .word_count = word_count});
  et_xnn_put_floats(b, node->outputs[0], floats);
}

/* Fills the lookup table of a clamp, indexed by the bits of the input value. */
static et_status fill_table(et_xnn_builder *b, const void *request,
                            void *bytes) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_output(b, 0);
  uint8_t *table = bytes;
  (void)request;
  for (int32_t i = 0; i < 256; i++) {
    const int32_t code = x.datatype == ET_XNN_QINT8 ? (int8_t)i : i;
    const float number =
        (float)(code - x.quantization.zero_point) * x.quantization.scale;
    table[i] = (uint8_t)et_xnn_quantized(b, &y, number);
  }
  return ET_STATUS_OK;
}

static void clamp_bytes(et_xnn_builder *b) {
  const et_xnn_value y = et_xnn_output(b, 0);
  const et_xnn_packing packing = {.dtype = et_xnn_storage(&y),
                                  .dims = {.rank = 1, .sizes = {256}},
                                  .fill = fill_table,
                                  .id = b->node->outputs[0]};
  const et_xnn_tensor inputs[] = {et_xnn_tensor_of(b, b->node->inputs[0]),
                                  et_xnn_pack(b, &packing)};
  et_xnn_emit(b, &(et_xnn_emission){
                     .part = &et_cpu_op_lut_qs8,
                     .inputs = inputs,
                     .input_count = 2,
                     .output = et_xnn_tensor_of(b, b->node->outputs[0])});
}

void et_xnn_unary(et_xnn_builder *b) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_output(b, 0);
  const et_xnn_dims dims = et_xnn_dims_of(b, b->node->inputs[0]);
  et_xnn_infer(b, 0, &dims);
  if (b->node->tag == ET_XNN_NODE_CLAMP && et_xnn_is_8_bit(&x) &&
      et_xnn_is_8_bit(&y)) {
    clamp_bytes(b);
  } else {
    map_floats(b);
  }
}

/* Broadcasts sizes, aligned at the last dimension. Returns false if they are incompatible. */
static bool broadcast(const et_xnn_dims *a, const et_xnn_dims *b,
                      et_xnn_dims *out) {
  *out = a->rank >= b->rank ? *a : *b;
  const et_xnn_dims *other = a->rank >= b->rank ? b : a;
  for (uint8_t i = 1; i <= other->rank; i++) {
    int32_t *size = &out->sizes[out->rank - i];
    const int32_t another = other->sizes[other->rank - i];
    if (*size != another && *size != 1 && another != 1) {
      return false;
    }
    *size = *size == 1 ? another : *size;
  }
  return true;
}

static bool same_dims(const et_xnn_dims *a, const et_xnn_dims *b) {
  return a->rank == b->rank &&
         memcmp(a->sizes, b->sizes, a->rank * sizeof a->sizes[0]) == 0;
}

/* Minimum number of elements per row for which binary_qs8 is faster. */
#define MIN_ROW 16

/* Returns true if the declared sizes of `row`, without leading ones, are the trailing sizes of
 * `of`, and the last one is at least MIN_ROW. */
static bool is_row(const et_xnn_dims *row, const et_xnn_dims *of) {
  const uint8_t rank = row->rank;
  uint8_t first = 0;
  while (first < rank && row->sizes[first] == 1) {
    first++;
  }
  return rank <= of->rank && first < rank && row->sizes[rank - 1] >= MIN_ROW &&
         memcmp(row->sizes + first, of->sizes + (of->rank - rank + first),
                (size_t)(rank - first) * sizeof row->sizes[0]) == 0;
}

/* Returns true for an int8 multiplication that binary_qs8 supports: declared sizes are equal, or
 * the second operand is a row. */
static bool is_mul_qs8(const et_xnn_builder *b) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_input(b, 1);
  const et_xnn_value out = et_xnn_output(b, 0);
  return b->node->tag == ET_XNN_NODE_MULTIPLY && et_xnn_is_8_bit(&x) &&
         et_xnn_is_8_bit(&y) && et_xnn_is_8_bit(&out) &&
         (same_dims(&x.dims, &y.dims) || is_row(&y.dims, &x.dims));
}

static void multiply_bytes(et_xnn_builder *b) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_input(b, 1);
  const et_xnn_value out = et_xnn_output(b, 0);
  const et_xnn_tensor inputs[] = {et_xnn_tensor_of(b, b->node->inputs[0]),
                                  et_xnn_tensor_of(b, b->node->inputs[1])};
  const et_cpu_binary_qs8_attributes attributes = {
      .function = ET_CPU_BINARY_OP_MUL,
      .a = et_xnn_quant_params(&x),
      .b = et_xnn_quant_params(&y),
      .output_quantization = et_xnn_output_quantization(b, &out)};
  uint32_t words[ET_CPU_BINARY_QS8_ATTRIBUTES_WORDS];
  et_cpu_binary_qs8_attributes_write(&attributes, words);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_cpu_op_binary_qs8,
                            .inputs = inputs,
                            .input_count = 2,
                            .output = et_xnn_tensor_of(b, b->node->outputs[0]),
                            .words = words,
                            .word_count = ET_CPU_BINARY_QS8_ATTRIBUTES_WORDS});
}

/* Computes the factors of add_qs8 in units of 2^-shift. The larger factor has 21 bits. Returns
 * false if a ratio of scales is outside the range of XNNPACK's addition. */
static bool factors_of(const et_xnn_builder *b, int32_t factors[2],
                       int32_t *shift) {
  const float out = et_xnn_output(b, 0).quantization.scale;
  const float x = et_xnn_input(b, 0).quantization.scale / out;
  const float y = et_xnn_input(b, 1).quantization.scale / out;
  const float min = x < y ? x : y;
  const float max = x < y ? y : x;
  if (!(min >= 0x1p-10f && max < 0x1p8f)) {
    return false;
  }
  *shift = 20 - ilogbf(max);
  factors[0] = (int32_t)rintf(ldexpf(x, *shift));
  factors[1] = (int32_t)rintf(ldexpf(y, *shift));
  factors[1] = b->node->tag == ET_XNN_NODE_SUBTRACT ? -factors[1] : factors[1];
  return true;
}

/* Returns true for an int8 addition or subtraction that add_qs8 supports. */
static bool is_add_qs8(const et_xnn_builder *b) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_input(b, 1);
  const et_xnn_value out = et_xnn_output(b, 0);
  int32_t factors[2];
  int32_t shift = 0;
  const uint8_t tag = b->node->tag;
  return (tag == ET_XNN_NODE_ADD || tag == ET_XNN_NODE_SUBTRACT) &&
         et_xnn_is_8_bit(&out) && x.datatype == out.datatype &&
         y.datatype == out.datatype && same_dims(&x.dims, &y.dims) &&
         factors_of(b, factors, &shift);
}

static void add_bytes(et_xnn_builder *b) {
  const et_xnn_value out = et_xnn_output(b, 0);
  const et_xnn_tensor inputs[] = {et_xnn_tensor_of(b, b->node->inputs[0]),
                                  et_xnn_tensor_of(b, b->node->inputs[1])};
  const et_cpu_output_quantization output = et_xnn_output_quantization(b, &out);
  et_cpu_add_qs8_attributes attributes = {
      .zero_points = {et_xnn_input(b, 0).quantization.zero_point,
                      et_xnn_input(b, 1).quantization.zero_point},
      .shift = 1,
      .zero_point = output.zero_point,
      .low = output.low,
      .high = output.high};
  factors_of(b, attributes.factors, &attributes.shift);
  uint32_t words[ET_CPU_ADD_QS8_ATTRIBUTES_WORDS];
  et_cpu_add_qs8_attributes_write(&attributes, words);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_xnn_op_add_qs8,
                            .inputs = inputs,
                            .input_count = 2,
                            .output = et_xnn_tensor_of(b, b->node->outputs[0]),
                            .words = words,
                            .word_count = ET_CPU_ADD_QS8_ATTRIBUTES_WORDS});
}

void et_xnn_binary(et_xnn_builder *b) {
  const et_xnn_dims x = et_xnn_dims_of(b, b->node->inputs[0]);
  const et_xnn_dims y = et_xnn_dims_of(b, b->node->inputs[1]);
  et_xnn_dims dims;
  ET_XNN_REQUIRE(b, b->mode == ET_XNN_COUNT || broadcast(&x, &y, &dims),
                 "inputs cannot be broadcast together");
  if (b->mode != ET_XNN_COUNT) {
    et_xnn_infer(b, 0, &dims);
  }
  if (is_add_qs8(b)) {
    add_bytes(b);
  } else if (is_mul_qs8(b)) {
    multiply_bytes(b);
  } else {
    map_floats(b);
  }
}

void et_xnn_softmax(et_xnn_builder *b) {
  const uint32_t id = b->node->inputs[0];
  const et_xnn_dims dims = et_xnn_dims_of(b, id);
  et_xnn_infer(b, 0, &dims);
  const et_xnn_tensor x = et_xnn_floats_of(b, id);
  const et_xnn_tensor y = et_xnn_floats_for(b, b->node->outputs[0]);
  const et_cpu_softmax_attributes attributes = {.logarithm = false};
  uint32_t words[ET_CPU_SOFTMAX_ATTRIBUTES_WORDS];
  et_cpu_softmax_attributes_write(&attributes, words);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_cpu_op_softmax,
                            .inputs = &x,
                            .input_count = 1,
                            .output = y,
                            .words = words,
                            .word_count = ET_CPU_SOFTMAX_ATTRIBUTES_WORDS});
  et_xnn_put_floats(b, b->node->outputs[0], y);
}
