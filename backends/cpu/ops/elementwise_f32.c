/* Op elementwise_f32: a small program for each element, over operands that are broadcast,
 * right-aligned, to the sizes of the output. */
#include "backends/cpu/microkernels/elementwise.h"

#include <string.h>

#include "backends/cpu/ops/broadcast.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/elementwise_program.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_elementwise_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_elementwise_f32);

/* Elements of a chunk's blocks, about. */
#define CHUNK 8192
#define OPERANDS ET_CPU_ELEMENTWISE_OPERANDS

/* Numbers that are read as floats: each becomes the nearest one. */
static bool is_number(uint8_t dtype) {
  return dtype == ET_SCALAR_TYPE_FLOAT32 || dtype == ET_SCALAR_TYPE_BOOL ||
         dtype == ET_SCALAR_TYPE_INT64 || dtype == ET_SCALAR_TYPE_INT32;
}

static et_status check_operand(const et_cpu_op *op, size_t index,
                               et_error *error) {
  const uint8_t dtype = op->tensors[index]->dtype;
  ET_CPU_CHECK(error, is_number(dtype),
               "elementwise_f32: tensor %zu is %s, expected float32, bool, "
               "int64 or int32",
               index, et_scalar_type_name(dtype));
  return et_cpu_check_broadcast(op, index, error);
}

static et_status check_output(const et_cpu_op *op, et_error *error) {
  const uint8_t dtype = op->tensors[op->input_count]->dtype;
  ET_CPU_CHECK(error,
               dtype == ET_SCALAR_TYPE_FLOAT32 || dtype == ET_SCALAR_TYPE_BOOL,
               "elementwise_f32: the output is %s, expected float32 or bool",
               et_scalar_type_name(dtype));
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = 1,
                                .inputs_most = OPERANDS,
                                .outputs = 1,
                                .attributes = op->attribute_count};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_elementwise_program(op, error));
  for (size_t i = 0; i < op->input_count; i++) {
    ET_RETURN_IF_ERROR(check_operand(op, i, error));
  }
  return check_output(op, error);
}

typedef struct work {
  et_cpu_broadcast broadcast;
  et_cpu_elementwise map;
  et_cpu_elementwise_f32_function *function;
  const et_cpu_op *op;
  size_t block;  /* elements */
  size_t blocks; /* of a chunk */
} work;

static work plan(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {.map = {.words = op->attributes + 1,
                    .count = op->attribute_count / ET_CPU_ELEMENTWISE_WORDS,
                    .operands = op->input_count},
            .function = variants[run->isa],
            .op = op};
  w.block = et_cpu_elementwise_block(&w.map);
  w.blocks = CHUNK / w.block;
  w.broadcast = et_cpu_broadcast_of(op, w.block);
  return w;
}

static float number_at(const et_cpu_tensor *x, size_t i) {
  switch (x->dtype) {
    case ET_SCALAR_TYPE_BOOL:
      return ((const uint8_t *)x->data)[i] != 0 ? 1.0f : 0.0f;
    case ET_SCALAR_TYPE_INT64:
      return (float)((const int64_t *)x->data)[i];
    case ET_SCALAR_TYPE_INT32:
      return (float)((const int32_t *)x->data)[i];
    default:
      return ((const float *)x->data)[i];
  }
}

static void fill_row(float number, float *to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    to[i] = number;
  }
}

/* Writes `count` elements of x from `from` on, `stride` apart, as floats. */
static void spread_row(const et_cpu_tensor *x, size_t from, size_t stride,
                       float *to, size_t count) {
  if (stride == 0) {
    fill_row(number_at(x, from), to, count);
    return;
  }
  if (x->dtype == ET_SCALAR_TYPE_FLOAT32) {
    memcpy(to, (const float *)x->data + from, count * sizeof(float));
    return;
  }
  for (size_t i = 0; i < count; i++) {
    to[i] = number_at(x, from + i * stride);
  }
}

/* What the rooms of operands that were spread hold. */
typedef struct spreads {
  size_t from[OPERANDS];
  size_t count[OPERANDS];
} spreads;

/* Writes an operand's elements of a block one behind the other, unless they are
 * those that lie there already. */
static void spread(const work *w, const et_cpu_block *b, size_t i, spreads *s,
                   float *to) {
  const size_t *strides = w->broadcast.strides[i];
  const size_t rank = w->broadcast.rank;
  size_t from = b->operands[i];
  if (s->from[i] == from && s->count[i] >= b->rows * b->columns) {
    return;
  }
  s->from[i] = from;
  s->count[i] = b->rows * b->columns;
  for (size_t r = 0; r < b->rows; r++) {
    spread_row(w->op->tensors[i], from, strides[rank - 1], to, b->columns);
    from += strides[rank - 2];
    to += b->columns;
  }
}

/* Whether the block's elements of operand `i` are floats that lie one behind the
 * other. */
static bool lies_ready(const work *w, const et_cpu_block *b, size_t i) {
  const size_t *strides = w->broadcast.strides[i];
  const size_t rank = w->broadcast.rank;
  const bool rows_follow = b->rows == 1 || strides[rank - 2] == b->columns;
  return w->op->tensors[i]->dtype == ET_SCALAR_TYPE_FLOAT32 && rows_follow &&
         (strides[rank - 1] != 0 || b->columns == 1);
}

/* Points register `i` to the block's elements of operand `i`. */
static void take_operand(const work *w, const et_cpu_block *b, size_t i,
                         spreads *s, et_cpu_elementwise_state *state) {
  const float *data = w->op->tensors[i]->data;
  if (lies_ready(w, b, i)) {
    state->registers[i] = data + b->operands[i];
    return;
  }
  float *room = state->rooms + i * w->block;
  spread(w, b, i, s, room);
  state->registers[i] = room;
}

static void write_bools(const float *from, uint8_t *to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    to[i] = from[i] != 0.0f;
  }
}

static void run_block(const work *w, const et_cpu_block *b,
                      et_cpu_elementwise_state *state) {
  const et_cpu_tensor *y = w->op->tensors[w->map.operands];
  const size_t count = b->rows * b->columns;
  if (y->dtype == ET_SCALAR_TYPE_FLOAT32) {
    w->function(&w->map, state, (float *)y->data + b->offset, count);
    return;
  }
  const size_t last = w->map.operands + w->map.count - 1;
  float *room = state->rooms + last * w->block;
  w->function(&w->map, state, room, count);
  write_bools(room, (uint8_t *)y->data + b->offset, count);
}

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  et_cpu_elementwise_state state;
  spreads s = {.count = {0}};
  const size_t first = index * w->blocks;
  const size_t end = first + et_cpu_part(w->broadcast.blocks, w->blocks, index);
  for (size_t i = first; i < end; i++) {
    const et_cpu_block b = et_cpu_broadcast_block(&w->broadcast, i);
    for (size_t k = 0; k < w->map.operands; k++) {
      take_operand(w, &b, k, &s, &state);
    }
    run_block(w, &b, &state);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  if (op->tensors[op->input_count]->numel == 0) {
    return;
  }
  work w = plan(op, run);
  et_cpu_for_each(run, et_cpu_parts(w.broadcast.blocks, w.blocks), run_chunk,
                  &w);
}

static const et_cpu_op_type op_type = {"elementwise_f32", check, run, 1, NULL};
const et_backend_part et_cpu_op_elementwise_f32 = {ET_CPU_OP_ELEMENTWISE_F32,
                                                   &op_type};
