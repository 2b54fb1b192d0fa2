/* Step product_i8: x[..., k], whose rows become bytes by their own ranges, times
 * weights of few bits, in whole numbers; plus bias. */
#include "backends/cpu/simd/product_i8.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/few_bits.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/product_blocks.h"

static et_cpu_product_i8_function *const variants_of_4[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_product_i4);
static et_cpu_product_i8_function *const variants_of_8[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_product_i8);

/* Of a column's weights with 4 bits, of a group's codes with 8. */
static et_status check_sums(const et_cpu_step *step, size_t bits,
                            et_error *error) {
  const et_cpu_tensor *scales = step->tensors[ET_CPU_FEW_BITS_SCALES];
  const int64_t sizes[3] = {scales->sizes[0], scales->sizes[1], 16};
  const size_t sums = et_cpu_few_bits_own(step);
  return bits == 4 ? et_cpu_check_numel(step, sums, ET_SCALAR_TYPE_FLOAT32,
                                        sizes[0] * 16, error)
                   : et_cpu_check_sizes(step, sums, ET_SCALAR_TYPE_INT32, 3,
                                        sizes, error);
}

static bool has_sums(const et_cpu_step *step) {
  return step->input_count > et_cpu_few_bits_own(step);
}

static et_status check(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_few_bits_check(step, 1, ET_CPU_ZERO_POINTS, error));
  const et_cpu_product_q product = et_cpu_few_bits_read(step, 0);
  ET_CPU_CHECK(error, product.group <= ET_CPU_GROUP_I8,
               "product_i8: groups of %zu weights, expected at most %d",
               product.group, ET_CPU_GROUP_I8);
  ET_CPU_CHECK(error, has_sums(step) || product.bits == 4,
               "product_i8: %d inputs, expected sums of codes of %d bits",
               (int)step->input_count, (int)product.bits);
  return has_sums(step) ? check_sums(step, product.bits, error) : ET_STATUS_OK;
}

typedef struct work {
  et_cpu_product_i8 product;
  et_cpu_product_i8_function *function;
  et_cpu_blocks blocks;
} work;

/* Rows that each read the weights once. */
#define BLOCK_ROWS 32

static void run_block(void *data, size_t index) {
  const work *w = data;
  const et_cpu_range range = et_cpu_block_at(&w->blocks, index);
  w->function(&w->product, &range);
}

static et_cpu_product_i8 read(const et_cpu_step *step) {
  et_cpu_product_i8 product = {.weights = et_cpu_few_bits_read(step, 0)};
  const void *sums =
      has_sums(step) ? step->tensors[et_cpu_few_bits_own(step)]->data : NULL;
  if (product.weights.bits == 4) {
    product.column_sums = sums;
  } else {
    product.sums = sums;
  }
  return product;
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  work w = {.product = read(step)};
  const size_t rows = et_cpu_few_bits_rows(step);
  w.function = w.product.weights.bits == 4 ? variants_of_4[run->isa]
                                           : variants_of_8[run->isa];
  w.blocks = et_cpu_share_ready_rows(rows, w.product.weights.columns,
                                     w.product.weights.depth, BLOCK_ROWS,
                                     et_cpu_threads(run));
  et_cpu_for_each(run, et_cpu_block_count(&w.blocks), run_block, &w);
}

static const et_cpu_kind kind = {"product_i8", check, run, 0};
const et_backend_part et_cpu_step_product_i8 = {ET_CPU_KIND_PRODUCT_I8, &kind};
