/* Op embedding_qw: selects rows of a table of 4-bit or 8-bit weights. The table is prepacked as
 * GEMM weights, so each row is a column of a panel. */
#include "backends/cpu/schema/embedding_qw.h"

#include "backends/cpu/microkernels/elementwise.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/low_bit.h"

static et_cpu_widen_function *const widen_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_widen);

/* Number of rows per chunk. */
#define CHUNK 16

static et_status check_table(const et_cpu_op *op,
                             const et_cpu_embedding_qw_args *args,
                             et_error *error) {
  const int64_t panels = (args->attributes.rows + (int64_t)15) / 16;
  const int32_t per_word = 32 / args->attributes.format.bits;
  const int32_t words = args->table->sizes[1];
  const int32_t groups = args->scales->sizes[1];
  const int64_t table[3] = {panels, words, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->table, 3, table, error));
  ET_CPU_CHECK(error,
               groups > 0 && words > 0 && words % groups == 0 &&
                   words <= INT32_MAX / per_word,
               "embedding_qw: %d words cannot be split evenly into %d groups",
               (int)words, (int)groups);
  const int64_t sizes[3] = {panels, groups, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->scales, 3, sizes, error));
  return args->offsets != NULL
             ? et_cpu_check_shape(op, args->offsets, 3, sizes, error)
             : ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_embedding_qw_args args = et_cpu_embedding_qw_args_of(op);
  const et_cpu_low_bit_format *format = &args.attributes.format;
  ET_RETURN_IF_ERROR(et_cpu_check_format(op, format, error));
  ET_CPU_CHECK(
      error,
      (args.offsets != NULL) == (format->offset != ET_CPU_WEIGHT_OFFSET_NONE),
      "embedding_qw: %d inputs, inconsistent with weight offset kind %d",
      (int)op->input_count, (int)format->offset);
  ET_RETURN_IF_ERROR(check_table(op, &args, error));
  return et_cpu_check_gathered(op, args.y, args.indices,
                               args.table->sizes[1] * (32 / format->bits),
                               error);
}

/* A weight is (q - zero) * scale + minimum. */
typedef struct group {
  float scale, zero, minimum;
} group;

/* Dequantizes the weights of a word. The first one is in the lowest bits. */
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
  et_cpu_embedding_qw_args args;
  et_cpu_parameters scales;
  et_cpu_parameters offsets;
  et_cpu_widen_function *widen;
} work;

/* Returns element `at`, or 0 if the parameters are absent. */
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
  const et_cpu_low_bit_format *format = &w->args.attributes.format;
  const float offset = parameter_at(w, &w->offsets, at);
  group found = {.scale = parameter_at(w, &w->scales, at), .zero = offset};
  if (format->offset == ET_CPU_WEIGHT_OFFSET_MINIMA) {
    found.zero = -(float)(1u << (format->bits - 1));
    found.minimum = offset;
  }
  return found;
}

static void put_row(const work *w, size_t row, float *to) {
  const size_t words = (size_t)w->args.table->sizes[1];
  const size_t groups = (size_t)w->args.scales->sizes[1];
  const uint32_t bits = (uint32_t)w->args.attributes.format.bits;
  const uint32_t *word =
      (const uint32_t *)w->args.table->data + row / 16 * words * 16 + row % 16;
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
  const et_cpu_tensor *indices = w->args.indices;
  const et_cpu_tensor *y = w->args.y;
  const size_t columns = (size_t)y->sizes[y->rank - 1];
  const size_t first = index * CHUNK;
  const size_t end = first + et_cpu_part(indices->numel, CHUNK, index);
  for (size_t i = first; i < end; i++) {
    put_row(w, (size_t)et_cpu_index_at(indices, i),
            (float *)y->data + i * columns);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  work w = {.args = et_cpu_embedding_qw_args_of(op),
            .widen = widen_variants[run->isa]};
  const et_cpu_tensor *indices = w.args.indices;
  w.scales = et_cpu_parameters_of(w.args.scales);
  w.offsets = et_cpu_parameters_of(w.args.offsets);
  if (et_cpu_indices_fit(op, run, indices, w.args.attributes.rows)) {
    et_cpu_for_each(run, et_cpu_parts(indices->numel, CHUNK), run_chunk, &w);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_embedding_qw_schema, check, run};
const et_backend_part et_cpu_op_embedding_qw = {ET_CPU_OP_EMBEDDING_QW,
                                                &op_type};
