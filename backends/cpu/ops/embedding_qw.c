/* Op embedding_qw: rows of a table of few bits, which lies as a product with it
 * reads it: a row is a column of panels. */
#include "backends/cpu/microkernels/cast.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/indices.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/parameters.h"

static et_cpu_widen_function *const widen_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_widen);

/* Zero points or minima follow if the attribute says so. */
enum { WORDS, SCALES, INDICES, INPUTS };
enum { ROWS, BITS, SHIFT, ATTRIBUTES };

/* Rows of a chunk. */
#define CHUNK 16

static size_t output_of(const et_cpu_op *op) { return op->input_count; }

static et_status check_counts(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts any = {.inputs_least = INPUTS,
                             .inputs_most = INPUTS + 1,
                             .outputs = 1,
                             .attributes = ATTRIBUTES};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &any, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, ROWS, 1, INT32_MAX, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, BITS, 4, 8, error));
  ET_CPU_CHECK(error, op->attributes[BITS] % 4 == 0,
               "embedding_qw: weights of %d bits", (int)op->attributes[BITS]);
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, SHIFT, 0, ET_CPU_MINIMA, error));
  const size_t shifts = op->attributes[SHIFT] != ET_CPU_UNSHIFTED ? 1 : 0;
  ET_CPU_CHECK(error, op->input_count == INPUTS + shifts,
               "embedding_qw: %d inputs", (int)op->input_count);
  return ET_STATUS_OK;
}

static et_status check_table(const et_cpu_op *op, et_error *error) {
  const int64_t panels = (et_cpu_attribute(op, ROWS) + 15) / 16;
  const int64_t codes = 32 / et_cpu_attribute(op, BITS);
  const et_cpu_tensor *table = op->tensors[WORDS];
  const et_cpu_tensor *scales = op->tensors[SCALES];
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, WORDS, ET_SCALAR_TYPE_INT32, 3, error));
  const int64_t words[3] = {panels, table->sizes[1], 16};
  ET_RETURN_IF_ERROR(
      et_cpu_check_sizes(op, WORDS, ET_SCALAR_TYPE_INT32, 3, words, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(
      op, SCALES, et_cpu_parameters_dtype(op, SCALES), 3, error));
  const int64_t groups = scales->sizes[1];
  ET_CPU_CHECK(
      error,
      groups > 0 && table->sizes[1] > 0 && table->sizes[1] % groups == 0 &&
          table->sizes[1] <= INT32_MAX / codes,
      "embedding_qw: %d groups of %d words", (int)groups, (int)table->sizes[1]);
  const int64_t sizes[3] = {panels, groups, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_parameters(op, SCALES, sizes, error));
  return op->attributes[SHIFT] != ET_CPU_UNSHIFTED
             ? et_cpu_check_parameters(op, INPUTS, sizes, error)
             : ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  int64_t sizes[ET_CPU_MAX_RANK];
  ET_RETURN_IF_ERROR(check_counts(op, error));
  ET_RETURN_IF_ERROR(check_table(op, error));
  const et_cpu_tensor *indices = op->tensors[INDICES];
  ET_RETURN_IF_ERROR(et_cpu_check_indices(op, INDICES, error));
  ET_CPU_CHECK(error, indices->rank < ET_CPU_MAX_RANK,
               "embedding_qw: tensor 2 has %d dims, expected less than %d",
               (int)indices->rank, ET_CPU_MAX_RANK);
  for (uint8_t i = 0; i < indices->rank; i++) {
    sizes[i] = indices->sizes[i];
  }
  sizes[indices->rank] =
      (int64_t)op->tensors[WORDS]->sizes[1] * 32 / et_cpu_attribute(op, BITS);
  return et_cpu_check_sizes(op, output_of(op), ET_SCALAR_TYPE_FLOAT32,
                            (uint8_t)(indices->rank + 1), sizes, error);
}

/* A number is (code - zero) * scale + minimum. */
typedef struct group {
  float scale, zero, minimum;
} group;

/* The signed codes of a word, the first in the lowest bits. */
static void put_word(uint32_t word, uint32_t bits, const group *group,
                     float *to) {
  const uint32_t half = 1u << (bits - 1u);
  for (uint32_t j = 0; j < 32u / bits; j++) {
    const uint32_t code = word >> (j * bits) & (2u * half - 1u);
    const int32_t value = (int32_t)(code ^ half) - (int32_t)half;
    to[j] = ((float)value - group->zero) * group->scale + group->minimum;
  }
}

typedef struct work {
  const et_cpu_op *op;
  et_cpu_parameters scales;
  et_cpu_parameters shifts; /* zero points, minima or none */
  et_cpu_widen_function *widen;
} work;

/* Parameter number `at`; 0 where there are none. */
static float parameter_at(const work *w, const et_cpu_parameters *p,
                          size_t at) {
  float value = 0.0f;
  if (p->data == NULL) {
    return value;
  }
  if (p->width == ET_CPU_FLOAT32) {
    return ((const float *)p->data)[at];
  }
  w->widen((const uint16_t *)p->data + at, &value, 1,
           p->width == ET_CPU_BFLOAT16);
  return value;
}

static group group_at(const work *w, size_t at) {
  const uint32_t bits = w->op->attributes[BITS];
  const float shift = parameter_at(w, &w->shifts, at);
  group found = {.scale = parameter_at(w, &w->scales, at), .zero = shift};
  if (w->op->attributes[SHIFT] == ET_CPU_MINIMA) {
    found.zero = -(float)(1u << (bits - 1u));
    found.minimum = shift;
  }
  return found;
}

static void put_row(const work *w, size_t row, float *to) {
  const et_cpu_op *op = w->op;
  const size_t words = (size_t)op->tensors[WORDS]->sizes[1];
  const size_t groups = (size_t)op->tensors[SCALES]->sizes[1];
  const uint32_t bits = op->attributes[BITS];
  const uint32_t *word = (const uint32_t *)op->tensors[WORDS]->data +
                         row / 16 * words * 16 + row % 16;
  const size_t length = words / groups;
  size_t at = row / 16 * groups * 16 + row % 16;
  for (size_t i = 0; i < words; at += 16) {
    const group group = group_at(w, at);
    for (const size_t end = i + length; i < end; i++, to += 32u / bits) {
      put_word(word[i * 16], bits, &group, to);
    }
  }
}

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const et_cpu_op *op = w->op;
  const et_cpu_tensor *indices = op->tensors[INDICES];
  const size_t columns =
      (size_t)op->tensors[WORDS]->sizes[1] * 32u / op->attributes[BITS];
  const size_t first = index * CHUNK;
  const size_t end = first + et_cpu_part(indices->numel, CHUNK, index);
  for (size_t i = first; i < end; i++) {
    put_row(w, (size_t)et_cpu_index_at(indices, i),
            (float *)op->tensors[output_of(op)]->data + i * columns);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *indices = op->tensors[INDICES];
  work w = {.op = op,
            .scales = et_cpu_parameters_of(op, SCALES),
            .widen = widen_variants[run->isa]};
  if (op->attributes[SHIFT] != ET_CPU_UNSHIFTED) {
    w.shifts = et_cpu_parameters_of(op, INPUTS);
  }
  if (et_cpu_indices_fit(op, run, indices, et_cpu_attribute(op, ROWS))) {
    et_cpu_for_each(run, et_cpu_parts(indices->numel, CHUNK), run_chunk, &w);
  }
}

static const et_cpu_op_type op_type = {"embedding_qw", check, run, 0, NULL};
const et_backend_part et_cpu_op_embedding_qw = {ET_CPU_OP_EMBEDDING_QW,
                                                &op_type};
