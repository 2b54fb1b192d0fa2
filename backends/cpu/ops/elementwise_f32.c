/* Op elementwise_f32: runs a program of float32 instructions for each element of the output. */
#include "backends/cpu/schema/elementwise_f32.h"

#include <string.h>

#include "backends/cpu/microkernels/elementwise.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/elementwise.h"

static et_cpu_elementwise_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_elementwise_f32);

/* Approximate number of elements in the blocks of a chunk. */
#define CHUNK 8192
#define OPERANDS ET_CPU_ELEMENTWISE_MAX_OPERANDS

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_elementwise_f32_args args = et_cpu_elementwise_f32_args_of(op);
  const et_cpu_elementwise_program program = {
      args.attributes.operands, args.attributes.instructions,
      args.attributes.instructions_count};
  ET_RETURN_IF_ERROR(et_cpu_check_elementwise_program(op, &program, error));
  for (size_t i = 0; i < args.inputs_count; i++) {
    ET_RETURN_IF_ERROR(
        et_cpu_check_broadcast(op, args.inputs[i], args.y, error));
  }
  return ET_STATUS_OK;
}

typedef struct work {
  et_cpu_broadcast broadcast;
  et_cpu_elementwise program;
  et_cpu_elementwise_f32_function *function;
  et_cpu_tensor *const *inputs;
  const et_cpu_tensor *y;
  size_t block;  /* elements per block */
  size_t blocks; /* blocks per chunk */
} work;

static work plan(const et_cpu_elementwise_f32_args *args,
                 const et_cpu_run *run) {
  work w = {.program = {.instructions = args->attributes.instructions,
                        .count = args->attributes.instructions_count,
                        .operands = args->inputs_count},
            .function = variants[run->isa],
            .inputs = args->inputs,
            .y = args->y};
  w.block = et_cpu_elementwise_block(&w.program);
  w.blocks = CHUNK / w.block;
  w.broadcast =
      et_cpu_broadcast_of(args->inputs, args->inputs_count, args->y, w.block);
  return w;
}

static float value_at(const et_cpu_tensor *x, size_t i) {
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

static void fill_row(float value, float *to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    to[i] = value;
  }
}

/* Writes `count` strided elements of x, starting at element `from`, as float32. */
static void expand_row(const et_cpu_tensor *x, size_t from, size_t stride,
                       float *to, size_t count) {
  if (stride == 0) {
    fill_row(value_at(x, from), to, count);
    return;
  }
  if (x->dtype == ET_SCALAR_TYPE_FLOAT32) {
    memcpy(to, (const float *)x->data + from, count * sizeof(float));
    return;
  }
  for (size_t i = 0; i < count; i++) {
    to[i] = value_at(x, from + i * stride);
  }
}

/* Operand elements that are in the buffers of a thread. */
typedef struct expanded {
  size_t from[OPERANDS];
  size_t count[OPERANDS];
} expanded;

/* Writes the elements of an operand of a block contiguously to `to`, unless the previous block has
 * already written them. */
static void expand(const work *w, const et_cpu_block *b, size_t i, expanded *s,
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
    expand_row(w->inputs[i], from, strides[rank - 1], to, b->columns);
    from += strides[rank - 2];
    to += b->columns;
  }
}

/* Returns whether the elements of operand `i` of the block are contiguous float32 values. */
static bool is_contiguous(const work *w, const et_cpu_block *b, size_t i) {
  const size_t *strides = w->broadcast.strides[i];
  const size_t rank = w->broadcast.rank;
  const bool rows_follow = b->rows == 1 || strides[rank - 2] == b->columns;
  return w->inputs[i]->dtype == ET_SCALAR_TYPE_FLOAT32 && rows_follow &&
         (strides[rank - 1] != 0 || b->columns == 1);
}

/* Points register `i` to the elements of operand `i` of the block. */
static void set_operand(const work *w, const et_cpu_block *b, size_t i,
                        expanded *s, et_cpu_elementwise_state *state) {
  const float *data = w->inputs[i]->data;
  if (is_contiguous(w, b, i)) {
    state->registers[i] = data + b->operands[i];
    return;
  }
  float *buffer = state->buffers + i * w->block;
  expand(w, b, i, s, buffer);
  state->registers[i] = buffer;
}

static void write_bools(const float *from, uint8_t *to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    to[i] = from[i] != 0.0f;
  }
}

static void run_block(const work *w, const et_cpu_block *b,
                      et_cpu_elementwise_state *state) {
  const size_t count = b->rows * b->columns;
  if (w->y->dtype == ET_SCALAR_TYPE_FLOAT32) {
    w->function(&w->program, state, (float *)w->y->data + b->offset, count);
    return;
  }
  const size_t last = w->program.operands + w->program.count - 1;
  float *buffer = state->buffers + last * w->block;
  w->function(&w->program, state, buffer, count);
  write_bools(buffer, (uint8_t *)w->y->data + b->offset, count);
}

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  et_cpu_elementwise_state state;
  expanded s = {.count = {0}};
  const size_t first = index * w->blocks;
  const size_t end = first + et_cpu_part(w->broadcast.blocks, w->blocks, index);
  for (size_t i = first; i < end; i++) {
    const et_cpu_block b = et_cpu_broadcast_block(&w->broadcast, i);
    for (size_t k = 0; k < w->program.operands; k++) {
      set_operand(w, &b, k, &s, &state);
    }
    run_block(w, &b, &state);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_elementwise_f32_args args = et_cpu_elementwise_f32_args_of(op);
  if (args.y->numel == 0) {
    return;
  }
  work w = plan(&args, run);
  et_cpu_for_each(run, et_cpu_parts(w.broadcast.blocks, w.blocks), run_chunk,
                  &w);
}

static const et_cpu_op_type op_type = {&et_cpu_elementwise_f32_schema, check,
                                       run};
const et_backend_part et_cpu_op_elementwise_f32 = {ET_CPU_OP_ELEMENTWISE_F32,
                                                   &op_type};
