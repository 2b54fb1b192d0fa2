/* Step map: a small program for each element, over operands that are broadcast,
 * right-aligned, to the sizes of the output. */
#include "backends/cpu/simd/map.h"

#include <string.h>

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"

static et_cpu_map_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_map_f32);

/* Blocks of a chunk. */
#define CHUNK 32
#define OPERANDS ET_CPU_MAP_OPERANDS

static const uint8_t register_counts[] = {
#define REGISTER_COUNT(NAME, code, registers) [code] = registers,
    ET_CPU_MAP_LIST(REGISTER_COUNT)
#undef REGISTER_COUNT
};

/* The instruction at attribute `at`, of which `registers` come before. */
static et_status check_instruction(const et_cpu_step *step, size_t at,
                                   int64_t registers, et_error *error) {
  const int64_t last = sizeof(register_counts) - 1;
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, at, 0, last, error));
  const uint32_t opcode = step->attributes[at];
  for (size_t i = 1; i <= register_counts[opcode]; i++) {
    ET_RETURN_IF_ERROR(
        et_cpu_check_attribute(step, at + i, 0, registers - 1, error));
  }
  return opcode == ET_CPU_MAP_ACTIVATE
             ? et_cpu_check_activation(step, at + 2, error)
             : ET_STATUS_OK;
}

static et_status check_program(const et_cpu_step *step, et_error *error) {
  const size_t words = step->attribute_count;
  const size_t count = words / ET_CPU_MAP_WORDS;
  ET_CPU_CHECK(error, words == count * ET_CPU_MAP_WORDS + 1 && count > 0,
               "map: %zu attributes are no instructions", words);
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, 0, step->input_count,
                                            step->input_count, error));
  ET_CPU_CHECK(error, step->input_count + count <= ET_CPU_MAP_REGISTERS,
               "map: %zu registers, at most %d are taken",
               step->input_count + count, ET_CPU_MAP_REGISTERS);
  for (size_t i = 0; i < count; i++) {
    ET_RETURN_IF_ERROR(check_instruction(step, 1 + i * ET_CPU_MAP_WORDS,
                                         (int64_t)(step->input_count + i),
                                         error));
  }
  return ET_STATUS_OK;
}

static et_status check_operand(const et_cpu_step *step, size_t index,
                               et_error *error) {
  const et_cpu_tensor *x = step->tensors[index];
  const et_cpu_tensor *y = step->tensors[step->input_count];
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, index, ET_SCALAR_TYPE_FLOAT32, x->rank, error));
  ET_CPU_CHECK(error, x->rank <= y->rank,
               "map: tensor %zu has %d dims, the output %d", index,
               (int)x->rank, (int)y->rank);
  const int32_t *sizes = y->sizes + (y->rank - x->rank);
  for (uint8_t i = 0; i < x->rank; i++) {
    ET_CPU_CHECK(error, x->sizes[i] == sizes[i] || x->sizes[i] == 1,
                 "map: tensor %zu, dim %d is %d, expected %d or 1", index,
                 (int)i, (int)x->sizes[i], (int)sizes[i]);
  }
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = 1,
                                .inputs_most = OPERANDS,
                                .outputs = 1,
                                .attributes = step->attribute_count};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(check_program(step, error));
  for (size_t i = 0; i <= step->input_count; i++) {
    ET_RETURN_IF_ERROR(check_operand(step, i, error));
  }
  return ET_STATUS_OK;
}

/* The output's dims, those that all operands have as neighbours as one. The last
 * two are cut into blocks of rows times columns. */
typedef struct work {
  et_cpu_map map;
  et_cpu_map_f32_function *function;
  const float *operands[OPERANDS];
  float *out;
  size_t rank;
  size_t sizes[ET_CPU_MAX_RANK + 2];
  size_t strides[OPERANDS][ET_CPU_MAX_RANK + 2];
  size_t block_rows;
  size_t block_columns;
  size_t row_blocks;
  size_t column_blocks;
  size_t blocks;
} work;

/* Elements of operand `x` from one step of the output's dim to the next. */
static size_t stride_of(const et_cpu_tensor *x, size_t rank, size_t dim) {
  if (dim + x->rank < rank || x->sizes[dim + x->rank - rank] == 1) {
    return 0;
  }
  size_t stride = 1;
  for (size_t i = dim + x->rank - rank + 1; i < x->rank; i++) {
    stride *= (size_t)x->sizes[i];
  }
  return stride;
}

static bool continues(const work *w, size_t size, const size_t *strides) {
  for (size_t i = 0; i < w->map.operands; i++) {
    if (w->strides[i][w->rank - 1] != strides[i] * size) {
      return false;
    }
  }
  return true;
}

static void add_dim(work *w, size_t size, const size_t *strides) {
  if (w->rank > 2 && continues(w, size, strides)) {
    w->rank--;
    size *= w->sizes[w->rank];
  }
  for (size_t i = 0; i < w->map.operands; i++) {
    w->strides[i][w->rank] = strides[i];
  }
  w->sizes[w->rank++] = size;
}

/* The dims that are not of size 1, behind two that are: there are always rows
 * and columns. */
static void add_dims(work *w, const et_cpu_step *step) {
  const et_cpu_tensor *y = step->tensors[step->input_count];
  w->sizes[0] = 1;
  w->sizes[1] = 1;
  w->rank = 2;
  for (size_t dim = 0; dim < y->rank; dim++) {
    size_t strides[OPERANDS];
    for (size_t i = 0; i < w->map.operands; i++) {
      strides[i] = stride_of(step->tensors[i], y->rank, dim);
    }
    if (y->sizes[dim] != 1) {
      add_dim(w, (size_t)y->sizes[dim], strides);
    }
  }
}

static void cut(work *w) {
  const size_t rows = w->sizes[w->rank - 2];
  const size_t columns = w->sizes[w->rank - 1];
  const size_t parts = et_cpu_parts(columns, ET_CPU_MAP_BLOCK);
  w->block_columns =
      parts < 2 ? columns : (et_cpu_parts(columns, parts) + 15) / 16 * 16;
  w->block_rows = parts < 2 ? ET_CPU_MAP_BLOCK / columns : 1;
  w->row_blocks = et_cpu_parts(rows, w->block_rows);
  w->column_blocks = et_cpu_parts(columns, w->block_columns);
  w->blocks = w->row_blocks * w->column_blocks;
  for (size_t i = 0; i + 2 < w->rank; i++) {
    w->blocks *= w->sizes[i];
  }
}

static work plan(const et_cpu_step *step, const et_cpu_run *run) {
  work w = {.map = {.words = step->attributes + 1,
                    .count = step->attribute_count / ET_CPU_MAP_WORDS,
                    .operands = step->input_count},
            .function = variants[run->isa],
            .out = step->tensors[step->input_count]->data};
  for (size_t i = 0; i < step->input_count; i++) {
    w.operands[i] = step->tensors[i]->data;
  }
  add_dims(&w, step);
  cut(&w);
  return w;
}

/* A block of the output, and where operands begin for it. */
typedef struct block {
  size_t rows;
  size_t columns;
  size_t offset;
  size_t operands[OPERANDS];
} block;

static void move_block(const work *w, block *b, size_t dim, size_t at,
                       size_t out_stride) {
  b->offset += at * out_stride;
  for (size_t i = 0; i < w->map.operands; i++) {
    b->operands[i] += at * w->strides[i][dim];
  }
}

static block find_block(const work *w, size_t index) {
  block b = {0};
  const size_t last = w->rank - 1;
  const size_t column = index % w->column_blocks;
  index /= w->column_blocks;
  const size_t row = index % w->row_blocks;
  index /= w->row_blocks;
  b.columns = et_cpu_part(w->sizes[last], w->block_columns, column);
  b.rows = et_cpu_part(w->sizes[last - 1], w->block_rows, row);
  move_block(w, &b, last, column * w->block_columns, 1);
  move_block(w, &b, last - 1, row * w->block_rows, w->sizes[last]);
  size_t stride = w->sizes[last] * w->sizes[last - 1];
  for (size_t dim = last - 1; dim-- > 0;) {
    move_block(w, &b, dim, index % w->sizes[dim], stride);
    index /= w->sizes[dim];
    stride *= w->sizes[dim];
  }
  return b;
}

/* Writes an operand's elements one behind the other. */
static void spread(const float *from, size_t row_stride, size_t column_stride,
                   const block *b, float *to) {
  for (size_t r = 0; r < b->rows; r++, from += row_stride, to += b->columns) {
    if (column_stride != 0) {
      memcpy(to, from, b->columns * sizeof(float));
      continue;
    }
    for (size_t i = 0; i < b->columns; i++) {
      to[i] = *from;
    }
  }
}

/* What the rooms of operands that were spread hold. */
typedef struct spreads {
  const float *from[OPERANDS];
  size_t count[OPERANDS];
} spreads;

/* Points register `i` to the block's elements of operand `i`. */
static void take_operand(const work *w, const block *b, size_t i, spreads *s,
                         et_cpu_map_state *state) {
  const float *from = w->operands[i] + b->operands[i];
  const size_t row_stride = w->strides[i][w->rank - 2];
  const size_t column_stride = w->strides[i][w->rank - 1];
  const bool rows_follow = b->rows == 1 || row_stride == b->columns;
  if ((column_stride != 0 || b->columns == 1) && rows_follow) {
    state->registers[i] = from;
    return;
  }
  const size_t count = b->rows * b->columns;
  if (s->from[i] != from || s->count[i] < count) {
    spread(from, row_stride, column_stride, b, state->rooms[i]);
    s->from[i] = from;
    s->count[i] = count;
  }
  state->registers[i] = state->rooms[i];
}

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  et_cpu_map_state state;
  spreads s = {.count = {0}};
  const size_t first = index * CHUNK;
  const size_t end = first + et_cpu_part(w->blocks, CHUNK, index);
  for (size_t i = first; i < end; i++) {
    const block b = find_block(w, i);
    for (size_t k = 0; k < w->map.operands; k++) {
      take_operand(w, &b, k, &s, &state);
    }
    w->function(&w->map, &state, w->out + b.offset, b.rows * b.columns);
  }
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  if (step->tensors[step->input_count]->numel == 0) {
    return;
  }
  work w = plan(step, run);
  et_cpu_for_each(run, et_cpu_parts(w.blocks, CHUNK), run_chunk, &w);
}

static const et_cpu_kind kind = {"map", check, run, 1};
const et_backend_part et_cpu_step_map = {ET_CPU_KIND_MAP, &kind};
