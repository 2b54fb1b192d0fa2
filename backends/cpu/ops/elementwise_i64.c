/* Op elementwise_i64: runs a program of int64 instructions for each element of the output. */
#include "backends/cpu/schema/elementwise_i64.h"

#include <string.h>

#include "backends/cpu/microkernels/elementwise.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/elementwise.h"

#define BLOCK 64 /* elements */
#define CHUNK 64 /* blocks */

/* Values of the operands, then the results of instructions. */
typedef int64_t registers[ET_CPU_ELEMENTWISE_MAX_REGISTERS][BLOCK];

static const uint8_t arities[] = ET_CPU_OPCODE_ARITY;
static const bool is_integer[] = ET_CPU_OPCODE_IS_INTEGER;

/* Overflow wraps around as in PyTorch. */
static int64_t wrapped(uint64_t bits) {
  int64_t value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static int64_t computed(uint32_t opcode, int64_t a, int64_t b, int64_t c) {
  switch (opcode) {
    case ET_CPU_OPCODE_ADD:
      return wrapped((uint64_t)a + (uint64_t)b);
    case ET_CPU_OPCODE_SUB:
      return wrapped((uint64_t)a - (uint64_t)b);
    case ET_CPU_OPCODE_MUL:
      return wrapped((uint64_t)a * (uint64_t)b);
    case ET_CPU_OPCODE_MAX:
      return a > b ? a : b;
    case ET_CPU_OPCODE_MIN:
      return a < b ? a : b;
    case ET_CPU_OPCODE_NEG:
      return wrapped(0 - (uint64_t)a);
    case ET_CPU_OPCODE_EQ:
      return a == b;
    case ET_CPU_OPCODE_NE:
      return a != b;
    case ET_CPU_OPCODE_LT:
      return a < b;
    case ET_CPU_OPCODE_LE:
      return a <= b;
    case ET_CPU_OPCODE_GT:
      return a > b;
    case ET_CPU_OPCODE_GE:
      return a >= b;
    case ET_CPU_OPCODE_AND:
      return a != 0 && b != 0;
    case ET_CPU_OPCODE_OR:
      return a != 0 || b != 0;
    case ET_CPU_OPCODE_NOT:
      return a == 0;
    default: /* WHERE */
      return a != 0 ? b : c;
  }
}

static et_status check_opcodes(const et_cpu_elementwise_i64_attributes *program,
                               et_error *error) {
  const uint32_t *words = program->instructions;
  for (size_t i = 0; i < program->instructions_count; i++) {
    const et_cpu_instruction_i64 instruction =
        et_cpu_instruction_i64_read(words + i * ET_CPU_INSTRUCTION_I64_WORDS);
    ET_CPU_CHECK(
        error, is_integer[instruction.opcode],
        "elementwise_i64: opcode %u of instruction %zu is not supported",
        (unsigned)instruction.opcode, i);
  }
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_elementwise_i64_args args = et_cpu_elementwise_i64_args_of(op);
  const et_cpu_elementwise_program program = {
      args.attributes.operands, args.attributes.instructions,
      args.attributes.instructions_count};
  ET_RETURN_IF_ERROR(et_cpu_check_elementwise_program(op, &program, error));
  ET_RETURN_IF_ERROR(check_opcodes(&args.attributes, error));
  for (size_t i = 0; i < args.inputs_count; i++) {
    ET_RETURN_IF_ERROR(
        et_cpu_check_broadcast(op, args.inputs[i], args.y, error));
  }
  return ET_STATUS_OK;
}

typedef struct work {
  et_cpu_broadcast broadcast;
  et_cpu_elementwise_i64_args args;
} work;

static int64_t value_at(const et_cpu_tensor *x, size_t i) {
  switch (x->dtype) {
    case ET_SCALAR_TYPE_INT64:
      return ((const int64_t *)x->data)[i];
    case ET_SCALAR_TYPE_INT32:
      return ((const int32_t *)x->data)[i];
    default:
      return ((const uint8_t *)x->data)[i] != 0;
  }
}

static void read_operand(const work *w, const et_cpu_block *b, size_t i,
                         int64_t *to) {
  const size_t *strides = w->broadcast.strides[i] + w->broadcast.rank - 2;
  for (size_t r = 0; r < b->rows; r++) {
    const size_t from = b->operands[i] + r * strides[0];
    for (size_t c = 0; c < b->columns; c++) {
      *to++ = value_at(w->args.inputs[i], from + c * strides[1]);
    }
  }
}

/* Executes one instruction. Unused operands are register 0. */
static void run_instruction(const et_cpu_instruction_i64 *in, registers r,
                            size_t result, size_t count) {
  const size_t arity = arities[in->opcode];
  const int64_t *a = r[arity > 0 ? in->registers[0] : 0];
  const int64_t *b = r[arity > 1 ? in->registers[1] : 0];
  const int64_t *c = r[arity > 2 ? in->registers[2] : 0];
  for (size_t i = 0; i < count; i++) {
    r[result][i] =
        arity == 0 ? in->value : computed(in->opcode, a[i], b[i], c[i]);
  }
}

static void write_result(const et_cpu_tensor *y, size_t offset,
                         const int64_t *from, size_t count) {
  for (size_t i = 0; i < count; i++) {
    switch (y->dtype) {
      case ET_SCALAR_TYPE_INT64:
        ((int64_t *)y->data)[offset + i] = from[i];
        break;
      case ET_SCALAR_TYPE_INT32:
        ((uint32_t *)y->data)[offset + i] = (uint32_t)(uint64_t)from[i];
        break;
      default:
        ((uint8_t *)y->data)[offset + i] = from[i] != 0;
    }
  }
}

static void run_block(const work *w, size_t index) {
  registers r;
  const et_cpu_elementwise_i64_attributes *program = &w->args.attributes;
  const et_cpu_block b = et_cpu_broadcast_block(&w->broadcast, index);
  const size_t count = b.rows * b.columns;
  const uint32_t *words = program->instructions;
  size_t n = 0;
  for (; n < w->args.inputs_count; n++) {
    read_operand(w, &b, n, r[n]);
  }
  for (size_t i = 0; i < program->instructions_count; i++) {
    const et_cpu_instruction_i64 instruction =
        et_cpu_instruction_i64_read(words + i * ET_CPU_INSTRUCTION_I64_WORDS);
    run_instruction(&instruction, r, n++, count);
  }
  write_result(w->args.y, b.offset, r[n - 1], count);
}

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * CHUNK;
  const size_t end = first + et_cpu_part(w->broadcast.blocks, CHUNK, index);
  for (size_t i = first; i < end; i++) {
    run_block(w, i);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_elementwise_i64_args args = et_cpu_elementwise_i64_args_of(op);
  if (args.y->numel == 0) {
    return;
  }
  work w = {et_cpu_broadcast_of(args.inputs, args.inputs_count, args.y, BLOCK),
            args};
  et_cpu_for_each(run, et_cpu_parts(w.broadcast.blocks, CHUNK), run_chunk, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_elementwise_i64_schema, check,
                                       run};
const et_backend_part et_cpu_op_elementwise_i64 = {ET_CPU_OP_ELEMENTWISE_I64,
                                                   &op_type};
