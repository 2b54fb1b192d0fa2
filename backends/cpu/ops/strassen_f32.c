/* Op strassen_f32: GEMM of many rows with 7/8 of the multiplications. */
#include "backends/cpu/microkernels/strassen.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/gemms.h"
#include "backends/cpu/schema/cost_model.h"
#include "backends/cpu/schema/strassen_f32.h"

static et_cpu_strassen_sums_f32_function *const
    sums_variants[ET_CPU_ISA_COUNT] = ET_CPU_VARIANTS(et_cpu_strassen_sums_f32);
static et_cpu_strassen_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_strassen_f32);

/* Returns the number of examples in the batch. Rows are paired within an example, so that examples
 * are independent. */
static size_t example_count(const et_cpu_tensor *x) {
  return x->rank < 3 ? 1 : (size_t)x->sizes[0];
}

/* Returns the number of rows of an example. */
static size_t row_count(const et_cpu_tensor *x) {
  size_t rows = 1;
  for (uint8_t i = x->rank < 3 ? 0 : 1; i + 1 < x->rank; i++) {
    rows *= (size_t)x->sizes[i];
  }
  return rows;
}

/* Returns the arguments shared with `gemm_f32`. */
static et_cpu_gemm_f32_args gemm_args_of(const et_cpu_strassen_f32_args *args) {
  return (et_cpu_gemm_f32_args){
      .x = args->x,
      .weights = args->weights,
      .bias = args->bias,
      .residual = args->residual,
      .y = args->y,
      .attributes = {.activation = args->attributes.activation}};
}

static et_status check_multiple(const et_cpu_op *op,
                                const et_cpu_tensor *tensor, et_error *error) {
  const int32_t size = tensor->sizes[tensor->rank - 1];
  ET_CPU_CHECK(error, size > 0 && size % ET_CPU_STRASSEN_MULTIPLE == 0,
               "strassen_f32: the last dim of tensor %zu is %d, expected a "
               "multiple of %d",
               et_cpu_tensor_index(op, tensor), (int)size,
               ET_CPU_STRASSEN_MULTIPLE);
  return ET_STATUS_OK;
}

static et_status check_weights(const et_cpu_op *op,
                               const et_cpu_strassen_f32_args *args,
                               et_error *error) {
  ET_RETURN_IF_ERROR(check_multiple(op, args->x, error));
  ET_RETURN_IF_ERROR(check_multiple(op, args->y, error));
  const int64_t depth = args->x->sizes[args->x->rank - 1];
  const int64_t columns = args->y->sizes[args->y->rank - 1];
  const int64_t packed[3] = {
      columns / ET_CPU_STRASSEN_MULTIPLE * ET_CPU_STRASSEN_PRODUCTS, depth / 2,
      16};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->weights, 3, packed, error));
  return et_cpu_check_elements(op, args->bias, columns, error);
}

static et_status check_workspaces(const et_cpu_op *op,
                                  const et_cpu_strassen_f32_args *args,
                                  et_error *error) {
  const et_cpu_tensor *x = args->x;
  const int64_t sums[2] = {(int64_t)(row_count(x) + 1), x->sizes[x->rank - 1]};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->sums, 2, sums, error));
  const int32_t *sizes = args->products->sizes;
  const int64_t needed =
      (int64_t)args->attributes.pairs * ET_CPU_STRASSEN_COLUMNS;
  ET_CPU_CHECK(
      error, sizes[0] >= 1 && sizes[1] >= needed,
      "strassen_f32: workspace is [%d, %d], expected at least [1, %lld]",
      (int)sizes[0], (int)sizes[1], (long long)needed);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_strassen_f32_args args = et_cpu_strassen_f32_args_of(op);
  const et_cpu_gemm_f32_args gemm = gemm_args_of(&args);
  ET_RETURN_IF_ERROR(et_cpu_gemm_check_rows(op, &gemm, error));
  ET_RETURN_IF_ERROR(check_weights(op, &args, error));
  return check_workspaces(op, &args, error);
}

/* The parts of all column groups are listed group by group. Each thread with a workspace computes
 * one contiguous range of the list. In this order, few threads read the weights of a group. */
typedef struct work {
  et_cpu_strassen strassen;
  et_cpu_strassen_sums_f32_function *add;
  et_cpu_strassen_f32_function *multiply;
  size_t pairs;
  size_t pair_parts;
  size_t together; /* number of consecutive parts that fit in a workspace */
  size_t groups;
  size_t lanes;
  float *shared;
  size_t shared_size;
} work;

static void add_sums(void *data, size_t lane) {
  const work *w = data;
  const size_t first = et_first_of_part(w->pairs, lane, w->lanes);
  w->add(&w->strassen, first,
         et_first_of_part(w->pairs, lane + 1, w->lanes) - first);
}

/* Returns the range of `count` parts of a column group, starting at part `index`. */
static et_cpu_range range_at(const work *w, size_t index, size_t count) {
  const size_t part = index % w->pair_parts;
  const size_t first = et_first_of_part(w->pairs, part, w->pair_parts);
  const size_t column = index / w->pair_parts * ET_CPU_STRASSEN_COLUMNS;
  const size_t left = w->strassen.product.columns / 2 - column;
  const et_cpu_range range = {
      first, et_first_of_part(w->pairs, part + count, w->pair_parts) - first,
      column, left < ET_CPU_STRASSEN_COLUMNS ? left : ET_CPU_STRASSEN_COLUMNS};
  return range;
}

/* Consecutive parts of one thread that fit in its workspace are computed as a single GEMM, which
 * reads the weights once and has taller tiles. */
static void run_lane(void *data, size_t lane) {
  const work *w = data;
  const size_t all = w->pair_parts * w->groups;
  const size_t end = et_first_of_part(all, lane + 1, w->lanes);
  size_t i = et_first_of_part(all, lane, w->lanes);
  while (i < end) {
    const size_t fit = w->together - i % w->pair_parts % w->together;
    const size_t count = fit < end - i ? fit : end - i;
    const et_cpu_range range = range_at(w, i, count);
    w->multiply(&w->strassen, &range, w->shared + lane * w->shared_size);
    i += count;
  }
}

/* Divides the pairs into parts of at most `max` pairs. If the column groups cannot be divided
 * evenly among the threads, parts are smaller, so that several threads work on a group. */
static void split_pairs(work *w, size_t max) {
  const size_t parts = et_cpu_parts(w->pairs, max);
  const bool is_finer =
      w->groups % w->lanes != 0 &&
      w->pairs >= ET_CPU_STRASSEN_MIN_PAIRS_PER_PART * parts * w->lanes;
  w->together = is_finer ? w->lanes : 1;
  w->pair_parts = parts * w->together;
}

static void to_next_example(et_cpu_strassen *strassen) {
  et_cpu_gemm *product = &strassen->product;
  product->x += strassen->rows * product->depth;
  product->out += strassen->rows * product->columns;
  if (product->residual != NULL) {
    product->residual += strassen->rows * product->columns;
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_strassen_f32_args args = et_cpu_strassen_f32_args_of(op);
  const et_cpu_gemm_f32_args gemm = gemm_args_of(&args);
  work w = {.strassen = {.product = et_cpu_gemm_of(&gemm),
                         .rows = row_count(args.x),
                         .sums = args.sums->data},
            .add = sums_variants[run->isa],
            .multiply = variants[run->isa],
            .lanes = et_cpu_lanes(run, (size_t)args.products->sizes[0]),
            .shared = args.products->data,
            .shared_size = (size_t)args.products->sizes[1]};
  w.strassen.product.panels = args.weights->data;
  w.pairs = et_cpu_strassen_pairs(w.strassen.rows);
  w.groups =
      et_cpu_parts(w.strassen.product.columns / 2, ET_CPU_STRASSEN_COLUMNS);
  split_pairs(&w, (size_t)args.attributes.pairs);
  for (size_t left = example_count(args.x); left > 0; left--) {
    et_cpu_for_each(run, w.lanes, add_sums, &w);
    et_cpu_for_each(run, w.lanes, run_lane, &w);
    to_next_example(&w.strassen);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_strassen_f32_schema, check, run};
const et_backend_part et_cpu_op_strassen_f32 = {ET_CPU_OP_STRASSEN_F32,
                                                &op_type};
