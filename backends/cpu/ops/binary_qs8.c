/* Op binary_qs8: sum or product of two quantized tensors. */
#include "backends/cpu/schema/binary_qs8.h"

#include "backends/cpu/microkernels/qs8.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/quantized.h"

static et_cpu_binary_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_binary_qs8);

/* Checks that the sizes of b, without leading ones, equal the last sizes of a. */
static et_status check_broadcast(const et_cpu_tensor *a, const et_cpu_tensor *b,
                                 et_error *error) {
  bool is_row = b->rank <= a->rank;
  bool is_last = true;
  for (size_t i = 1; is_row && i <= b->rank; i++) {
    const int32_t size = b->sizes[b->rank - i];
    is_last = is_last && size == a->sizes[a->rank - i];
    is_row = is_last || size == 1;
  }
  ET_CPU_CHECK(
      error, is_row,
      "binary_qs8: %zu elements cannot be broadcast to %zu; the sizes of "
      "tensor 1 must match the trailing sizes of tensor 0",
      b->numel, a->numel);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_binary_qs8_args args = et_cpu_binary_qs8_args_of(op);
  const et_cpu_binary_qs8_attributes *attributes = &args.attributes;
  ET_RETURN_IF_ERROR(et_cpu_check_quantized_value(
      op, args.a, attributes->a.zero_point, error));
  ET_RETURN_IF_ERROR(et_cpu_check_quantized_value(
      op, args.b, attributes->b.zero_point, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_elements(op, args.a, (int64_t)args.y->numel, error));
  ET_RETURN_IF_ERROR(check_broadcast(args.a, args.b, error));
  return et_cpu_check_output_quantization(
      op, args.y, &attributes->output_quantization, error);
}

/* If a and b have equal sizes, a chunk is any range of their elements. Otherwise, it consists of
 * whole rows of a. */
typedef struct work {
  et_cpu_binary_qs8 binary;
  et_cpu_binary_qs8_function *function;
  uint8_t *y;
  size_t count;
  size_t row; /* number of elements of b */
  size_t chunk;
} work;

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t end = index * w->chunk + et_cpu_part(w->count, w->chunk, index);
  const size_t count = w->row < w->chunk ? w->row : w->chunk;
  for (size_t first = index * w->chunk; first < end; first += count) {
    et_cpu_binary_qs8 binary = w->binary;
    binary.a.bytes.data += first;
    binary.b.bytes.data += w->row == w->count ? first : 0;
    w->function(&binary, w->y + first,
                end - first < count ? end - first : count);
  }
}

static et_cpu_scaled_qs8 operand(const et_cpu_tensor *tensor,
                                 const et_cpu_quant_params *params) {
  const et_cpu_scaled_qs8 x = {et_cpu_qs8_of(tensor, params->zero_point),
                               params->scale};
  return x;
}

static size_t chunk_of(size_t row, size_t count) {
  const size_t max = ET_CPU_QS8_CHUNK;
  if (row == count) {
    return max;
  }
  return row < max ? max / row * row : row;
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_binary_qs8_args args = et_cpu_binary_qs8_args_of(op);
  const et_cpu_binary_qs8_attributes *attributes = &args.attributes;
  work w = {.binary = {.output_quantization = attributes->output_quantization,
                       .a = operand(args.a, &attributes->a),
                       .b = operand(args.b, &attributes->b),
                       .is_gemm = attributes->function == ET_CPU_BINARY_OP_MUL},
            .function = variants[run->isa],
            .y = args.y->data,
            .count = args.y->numel,
            .row = args.b->numel};
  if (w.count > 0) {
    w.chunk = chunk_of(w.row, w.count);
    et_cpu_for_each(run, et_cpu_parts(w.count, w.chunk), run_chunk, &w);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_binary_qs8_schema, check, run};
const et_backend_part et_cpu_op_binary_qs8 = {ET_CPU_OP_BINARY_QS8, &op_type};
