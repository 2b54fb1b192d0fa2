/* Step map_i8: sums of the numbers behind two tensors of bytes, as bytes. */
#include "backends/cpu/simd/bytes.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/quantized.h"

static et_cpu_add_bytes_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_add_bytes);

enum { A, B, Y };
enum {
  OF_A,
  OF_B = OF_A + ET_CPU_READING_WORDS,
  QUANTIZING = OF_B + ET_CPU_READING_WORDS,
  WORDS = QUANTIZING + ET_CPU_QUANTIZING_WORDS
};

static et_status check_operand(const et_cpu_step *step, size_t index,
                               size_t word, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_bytes(step, index, error));
  ET_RETURN_IF_ERROR(et_cpu_check_byte(step, word, index, error));
  const et_cpu_tensor *operand = step->tensors[index];
  return et_cpu_check_numel(step, index, (et_scalar_type)operand->dtype,
                            (int64_t)step->tensors[Y]->numel, error);
}

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = Y, .inputs_most = Y, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(check_operand(step, A, OF_A, error));
  ET_RETURN_IF_ERROR(check_operand(step, B, OF_B, error));
  return et_cpu_check_quantizing(step, QUANTIZING, Y, error);
}

typedef struct work {
  et_cpu_quantizing quantizing;
  et_cpu_scaled_bytes a, b;
  et_cpu_add_bytes_function *function;
  uint8_t *y;
  size_t count;
} work;

static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t first = index * ET_CPU_BYTES_OF_CHUNK;
  et_cpu_scaled_bytes a = w->a;
  et_cpu_scaled_bytes b = w->b;
  a.bytes.data += first;
  b.bytes.data += first;
  w->function(&w->quantizing, &a, &b, w->y + first,
              et_cpu_part(w->count, ET_CPU_BYTES_OF_CHUNK, index));
}

static et_cpu_scaled_bytes operand(const et_cpu_step *step, size_t index,
                                   size_t word) {
  const et_cpu_scaled_bytes x = {et_cpu_read_bytes(step, index, word),
                                 et_cpu_float_attribute(step, word + 1)};
  return x;
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  work w = {et_cpu_read_quantizing(step, QUANTIZING),
            operand(step, A, OF_A),
            operand(step, B, OF_B),
            variants[run->isa],
            step->tensors[Y]->data,
            step->tensors[Y]->numel};
  et_cpu_for_each(run, et_cpu_parts(w.count, ET_CPU_BYTES_OF_CHUNK), run_chunk,
                  &w);
}

static const et_cpu_kind kind = {"map_i8", check, run, 0};
const et_backend_part et_cpu_step_map_i8 = {ET_CPU_KIND_MAP_I8, &kind};
