/* Op elementwise_i64: a small program for each element, as map is, of whole numbers:
 * positions, and what masks are made of them. */
#include <string.h>

#include "backends/cpu/microkernels/elementwise.h"
#include "backends/cpu/ops/broadcast.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/elementwise_program.h"
#include "backends/cpu/ops/op_codes.h"

#define BLOCK 64 /* elements */
#define CHUNK 64 /* blocks */

/* Elements of the operands, then results of instructions. */
typedef int64_t registers[ET_CPU_ELEMENTWISE_REGISTERS][BLOCK];

static bool is_whole(uint8_t dtype) {
  return dtype == ET_SCALAR_TYPE_INT64 || dtype == ET_SCALAR_TYPE_INT32 ||
         dtype == ET_SCALAR_TYPE_BOOL;
}

/* Sums wrap around, as those of PyTorch do. */
static int64_t wrapped(uint64_t bits) {
  int64_t number;
  memcpy(&number, &bits, sizeof(number));
  return number;
}

static int64_t computed(uint32_t opcode, int64_t a, int64_t b, int64_t c) {
  switch (opcode) {
    case ET_CPU_ELEMENTWISE_ADD:
      return wrapped((uint64_t)a + (uint64_t)b);
    case ET_CPU_ELEMENTWISE_SUB:
      return wrapped((uint64_t)a - (uint64_t)b);
    case ET_CPU_ELEMENTWISE_MUL:
      return wrapped((uint64_t)a * (uint64_t)b);
    case ET_CPU_ELEMENTWISE_MAX:
      return a > b ? a : b;
    case ET_CPU_ELEMENTWISE_MIN:
      return a < b ? a : b;
    case ET_CPU_ELEMENTWISE_NEG:
      return wrapped(0 - (uint64_t)a);
    case ET_CPU_ELEMENTWISE_EQ:
      return a == b;
    case ET_CPU_ELEMENTWISE_NE:
      return a != b;
    case ET_CPU_ELEMENTWISE_LT:
      return a < b;
    case ET_CPU_ELEMENTWISE_LE:
      return a <= b;
    case ET_CPU_ELEMENTWISE_GT:
      return a > b;
    case ET_CPU_ELEMENTWISE_GE:
      return a >= b;
    case ET_CPU_ELEMENTWISE_AND:
      return a != 0 && b != 0;
    case ET_CPU_ELEMENTWISE_OR:
      return a != 0 || b != 0;
    case ET_CPU_ELEMENTWISE_NOT:
      return a == 0;
    default: /* WHERE */
      return a != 0 ? b : c;
  }
}

/* Numbers of registers that an opcode reads; 0: it is none of whole numbers. */
static int reads(uint32_t opcode) {
  switch (opcode) {
    case ET_CPU_ELEMENTWISE_NEG:
    case ET_CPU_ELEMENTWISE_NOT:
      return 1;
    case ET_CPU_ELEMENTWISE_WHERE:
      return 3;
    case ET_CPU_ELEMENTWISE_ADD:
    case ET_CPU_ELEMENTWISE_SUB:
    case ET_CPU_ELEMENTWISE_MUL:
    case ET_CPU_ELEMENTWISE_MAX:
    case ET_CPU_ELEMENTWISE_MIN:
      return 2;
    default:
      return opcode >= ET_CPU_ELEMENTWISE_EQ && opcode <= ET_CPU_ELEMENTWISE_OR
                 ? 2
                 : 0;
  }
}

static et_status check_opcodes(const et_cpu_op *op, et_error *error) {
  for (size_t at = 1; at < op->attribute_count;
       at += ET_CPU_ELEMENTWISE_WORDS) {
    const uint32_t opcode = op->attributes[at];
    ET_CPU_CHECK(
        error, opcode == ET_CPU_ELEMENTWISE_CONSTANT || reads(opcode) > 0,
        "elementwise_i64: attribute %zu is %u, no opcode of whole numbers", at,
        (unsigned)opcode);
  }
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = 1,
                                .inputs_most = ET_CPU_BROADCAST_OPERANDS,
                                .outputs = 1,
                                .attributes = op->attribute_count};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_elementwise_program(op, error));
  ET_RETURN_IF_ERROR(check_opcodes(op, error));
  for (size_t i = 0; i <= op->input_count; i++) {
    const uint8_t dtype = op->tensors[i]->dtype;
    ET_CPU_CHECK(
        error, is_whole(dtype),
        "elementwise_i64: tensor %zu is %s, expected int64, int32 or bool", i,
        et_scalar_type_name(dtype));
    ET_RETURN_IF_ERROR(et_cpu_check_broadcast(op, i, error));
  }
  return ET_STATUS_OK;
}

typedef struct work {
  et_cpu_broadcast broadcast;
  const et_cpu_op *op;
} work;

static int64_t number_at(const et_cpu_tensor *x, size_t i) {
  switch (x->dtype) {
    case ET_SCALAR_TYPE_INT64:
      return ((const int64_t *)x->data)[i];
    case ET_SCALAR_TYPE_INT32:
      return ((const int32_t *)x->data)[i];
    default:
      return ((const uint8_t *)x->data)[i] != 0;
  }
}

static void take_operand(const work *w, const et_cpu_block *b, size_t i,
                         int64_t *to) {
  const size_t *strides = w->broadcast.strides[i] + w->broadcast.rank - 2;
  for (size_t r = 0; r < b->rows; r++) {
    const size_t from = b->operands[i] + r * strides[0];
    for (size_t c = 0; c < b->columns; c++) {
      *to++ = number_at(w->op->tensors[i], from + c * strides[1]);
    }
  }
}

static int64_t constant_of(const uint32_t *words) {
  return wrapped((uint64_t)words[1] << 32 | words[0]);
}

/* One instruction, whose result is register `result`. What an opcode does not
 * read is register 0. */
static void instruct(const uint32_t *words, registers r, size_t result,
                     size_t count) {
  const int read = reads(words[0]);
  const int64_t *a = r[read > 0 ? words[1] : 0];
  const int64_t *b = r[read > 1 ? words[2] : 0];
  const int64_t *c = r[read > 2 ? words[3] : 0];
  for (size_t i = 0; i < count; i++) {
    r[result][i] = read == 0 ? constant_of(words + 1)
                             : computed(words[0], a[i], b[i], c[i]);
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
  const et_cpu_op *op = w->op;
  const et_cpu_block b = et_cpu_broadcast_block(&w->broadcast, index);
  const size_t count = b.rows * b.columns;
  size_t n = 0;
  for (; n < op->input_count; n++) {
    take_operand(w, &b, n, r[n]);
  }
  for (size_t at = 1; at < op->attribute_count;
       at += ET_CPU_ELEMENTWISE_WORDS) {
    instruct(op->attributes + at, r, n++, count);
  }
  write_result(op->tensors[op->input_count], b.offset, r[n - 1], count);
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
  if (op->tensors[op->input_count]->numel == 0) {
    return;
  }
  work w = {et_cpu_broadcast_of(op, BLOCK), op};
  et_cpu_for_each(run, et_cpu_parts(w.broadcast.blocks, CHUNK), run_chunk, &w);
}

static const et_cpu_op_type op_type = {"elementwise_i64", check, run, 1, NULL};
const et_backend_part et_cpu_op_elementwise_i64 = {ET_CPU_OP_ELEMENTWISE_I64,
                                                   &op_type};
