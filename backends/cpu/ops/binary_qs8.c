/* Op binary_qs8: sums or products of the numbers behind two tensors of bytes, as
 * bytes. The second tensor may be a row, which is read again and again. */
#include "backends/cpu/microkernels/qs8.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/quantized.h"

static et_cpu_pair_bytes_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_pair_bytes);

enum { A, B, Y };
enum {
  PRODUCT,
  OF_A,
  OF_B = OF_A + ET_CPU_READING_WORDS,
  QUANTIZING = OF_B + ET_CPU_READING_WORDS,
  WORDS = QUANTIZING + ET_CPU_QUANTIZING_WORDS
};

static et_status check_operand(const et_cpu_op *op, size_t index, size_t word,
                               et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_bytes(op, index, error));
  return et_cpu_check_byte(op, word, index, error);
}

/* That B is the last sizes of A, but for ones before them. */
static et_status check_row(const et_cpu_op *op, et_error *error) {
  const et_cpu_tensor *a = op->tensors[A];
  const et_cpu_tensor *b = op->tensors[B];
  bool is_row = b->rank <= a->rank;
  bool is_last = true;
  for (size_t i = 1; is_row && i <= b->rank; i++) {
    const int32_t size = b->sizes[b->rank - i];
    is_last = is_last && size == a->sizes[a->rank - i];
    is_row = is_last || size == 1;
  }
  ET_CPU_CHECK(error, is_row,
               "binary_qs8: %zu elements are no row of those of %zu", b->numel,
               a->numel);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = Y, .inputs_most = Y, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, PRODUCT, 0, 1, error));
  ET_RETURN_IF_ERROR(check_operand(op, A, OF_A, error));
  ET_RETURN_IF_ERROR(check_operand(op, B, OF_B, error));
  const et_cpu_tensor *a = op->tensors[A];
  ET_RETURN_IF_ERROR(et_cpu_check_numel(op, A, (et_scalar_type)a->dtype,
                                        (int64_t)op->tensors[Y]->numel, error));
  ET_RETURN_IF_ERROR(check_row(op, error));
  return et_cpu_check_quantizing(op, QUANTIZING, Y, error);
}

/* Chunks are parts of a pair of equal sizes, or whole rows of A. */
typedef struct work {
  et_cpu_pair_bytes pair;
  et_cpu_pair_bytes_function *function;
  uint8_t *y;
  size_t count;
  size_t row; /* elements of B */
  size_t chunk;
} work;

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t end = index * w->chunk + et_cpu_part(w->count, w->chunk, index);
  const size_t count = w->row < w->chunk ? w->row : w->chunk;
  for (size_t first = index * w->chunk; first < end; first += count) {
    et_cpu_pair_bytes pair = w->pair;
    pair.a.bytes.data += first;
    pair.b.bytes.data += w->row == w->count ? first : 0;
    w->function(&pair, w->y + first, end - first < count ? end - first : count);
  }
}

static et_cpu_scaled_bytes operand(const et_cpu_op *op, size_t index,
                                   size_t word) {
  const et_cpu_scaled_bytes x = {et_cpu_read_bytes(op, index, word),
                                 et_cpu_float_attribute(op, word + 1)};
  return x;
}

static size_t chunk_of(size_t row, size_t count) {
  const size_t most = ET_CPU_BYTES_OF_CHUNK;
  if (row == count) {
    return most;
  }
  return row < most ? most / row * row : row;
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_pair_bytes pair = {
      et_cpu_read_output_quantization(op, QUANTIZING), operand(op, A, OF_A),
      operand(op, B, OF_B), et_cpu_attribute(op, PRODUCT) == 1};
  work w = {.pair = pair,
            .function = variants[run->isa],
            .y = op->tensors[Y]->data,
            .count = op->tensors[Y]->numel,
            .row = op->tensors[B]->numel};
  if (w.count > 0) {
    w.chunk = chunk_of(w.row, w.count);
    et_cpu_for_each(run, et_cpu_parts(w.count, w.chunk), run_chunk, &w);
  }
}

static const et_cpu_op_type op_type = {"binary_qs8", check, run, 0, NULL};
const et_backend_part et_cpu_op_binary_qs8 = {ET_CPU_OP_BINARY_QS8, &op_type};
