/* Step strassen: a product of many rows with seven eighths of the multiplications. */
#include "backends/cpu/simd/strassen.h"

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/products.h"

static et_cpu_strassen_sums_f32_function *const
    sums_variants[ET_CPU_ISA_COUNT] = ET_CPU_VARIANTS(et_cpu_strassen_sums_f32);
static et_cpu_strassen_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_strassen_f32);

enum { X, PANELS, BIAS };
enum { SUMS, SHARED, WORKSPACES }; /* workspaces */
enum { PAIRS = ET_CPU_ACTIVATION_WORDS, WORDS };

/* Of depth and columns: halves are whole panels. */
#define MULTIPLE 32

/* Larger numbers of pairs at once are of no use; within them no product overflows. */
#define MOST (1 << 20)

/* Fewer pairs than this are not shared out: tiles would have few rows. */
#define LEAST_PAIRS 24

static const et_cpu_tensor *workspace(const et_cpu_step *step, size_t index) {
  return step->tensors[step->input_count + 1u + index];
}

/* Of three dims or more the first one counts examples. Rows are paired within one, so that
 * none has a share in the results of another. */
static size_t example_count(const et_cpu_step *step) {
  const et_cpu_tensor *x = step->tensors[X];
  return x->rank < 3 ? 1 : (size_t)x->sizes[0];
}

/* Of an example. */
static size_t row_count(const et_cpu_step *step) {
  const et_cpu_tensor *x = step->tensors[X];
  size_t rows = 1;
  for (uint8_t i = x->rank < 3 ? 0 : 1; i + 1 < x->rank; i++) {
    rows *= (size_t)x->sizes[i];
  }
  return rows;
}

static et_status check_multiple(const et_cpu_step *step, size_t index,
                                int64_t *size, et_error *error) {
  const et_cpu_tensor *t = step->tensors[index];
  *size = t->sizes[t->rank - 1];
  ET_CPU_CHECK(error, *size > 0 && *size % MULTIPLE == 0,
               "strassen: the last dim of tensor %zu is %lld, expected a "
               "multiple of %d",
               index, (long long)*size, MULTIPLE);
  return ET_STATUS_OK;
}

static et_status check_weights(const et_cpu_step *step, et_error *error) {
  int64_t depth;
  int64_t columns;
  ET_RETURN_IF_ERROR(check_multiple(step, X, &depth, error));
  ET_RETURN_IF_ERROR(check_multiple(step, step->input_count, &columns, error));
  const int64_t packed[3] = {columns / MULTIPLE * ET_CPU_STRASSEN_PRODUCTS,
                             depth / 2, 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(step, PANELS, ET_SCALAR_TYPE_FLOAT32, 3,
                                        packed, error));
  return et_cpu_check_numel(step, BIAS, ET_SCALAR_TYPE_FLOAT32, columns, error);
}

static et_status check_sums(const et_cpu_step *step, et_error *error) {
  const size_t index = step->input_count + 1u + SUMS;
  const et_cpu_tensor *x = step->tensors[X];
  const int64_t sizes[2] = {(int64_t)(row_count(step) + 1),
                            x->sizes[x->rank - 1]};
  return et_cpu_check_sizes(step, index, ET_SCALAR_TYPE_FLOAT32, 2, sizes,
                            error);
}

static et_status check_shared(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, PAIRS, 1, MOST, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(step, step->input_count + 1u + SHARED,
                                         ET_SCALAR_TYPE_FLOAT32, 2, error));
  const int32_t *sizes = workspace(step, SHARED)->sizes;
  const int64_t needed =
      et_cpu_attribute(step, PAIRS) * ET_CPU_STRASSEN_COLUMNS;
  ET_CPU_CHECK(error, sizes[0] >= 1 && sizes[1] >= needed,
               "strassen: a workspace of %d x %d floats, needed 1 x %lld",
               (int)sizes[0], (int)sizes[1], (long long)needed);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_product_check_rows(step, WORKSPACES, WORDS - PAIRS, error));
  ET_RETURN_IF_ERROR(check_weights(step, error));
  ET_RETURN_IF_ERROR(check_sums(step, error));
  return check_shared(step, error);
}

/* Parts of the pairs times groups of columns, in this order, are shared out among as many
 * lanes as have a workspace: weights of a group are read by as few as can be. */
typedef struct work {
  et_cpu_strassen strassen;
  et_cpu_strassen_sums_f32_function *add;
  et_cpu_strassen_f32_function *multiply;
  size_t pairs;
  size_t pair_parts;
  size_t
      together; /* parts, from one that is a multiple on, that fit a workspace */
  size_t groups;
  size_t lanes;
  float *shared;
  size_t shared_size;
} work;

static void add_sums(void *data, size_t lane) {
  const work *w = data;
  const size_t first = w->pairs * lane / w->lanes;
  w->add(&w->strassen, first, w->pairs * (lane + 1) / w->lanes - first);
}

/* `count` parts of a group from number `index` on. */
static et_cpu_range range_at(const work *w, size_t index, size_t count) {
  const size_t part = index % w->pair_parts;
  const size_t first = w->pairs * part / w->pair_parts;
  const size_t column = index / w->pair_parts * ET_CPU_STRASSEN_COLUMNS;
  const size_t left = w->strassen.product.columns / 2 - column;
  const et_cpu_range range = {
      first, w->pairs * (part + count) / w->pair_parts - first, column,
      left < ET_CPU_STRASSEN_COLUMNS ? left : ET_CPU_STRASSEN_COLUMNS};
  return range;
}

/* Parts that are a lane's own are multiplied as one: their weights are read once, and tiles
 * have more rows. */
static void run_lane(void *data, size_t lane) {
  const work *w = data;
  const size_t all = w->pair_parts * w->groups;
  const size_t end = all * (lane + 1) / w->lanes;
  size_t i = all * lane / w->lanes;
  while (i < end) {
    const size_t fit = w->together - i % w->pair_parts % w->together;
    const size_t count = fit < end - i ? fit : end - i;
    const et_cpu_range range = range_at(w, i, count);
    w->multiply(&w->strassen, &range, w->shared + lane * w->shared_size);
    i += count;
  }
}

/* At most `most` pairs each. Where groups of columns cannot be shared out evenly, parts of
 * them are. */
static void split_pairs(work *w, size_t most) {
  const size_t parts = et_cpu_parts(w->pairs, most);
  const bool is_finer =
      w->groups % w->lanes != 0 && w->pairs >= LEAST_PAIRS * parts * w->lanes;
  w->together = is_finer ? w->lanes : 1;
  w->pair_parts = parts * w->together;
}

static void to_next_example(et_cpu_strassen *strassen) {
  et_cpu_product *product = &strassen->product;
  product->x += strassen->rows * product->depth;
  product->out += strassen->rows * product->columns;
  if (product->residual != NULL) {
    product->residual += strassen->rows * product->columns;
  }
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *shared = workspace(step, SHARED);
  work w = {.strassen = {.product = et_cpu_product_read(step),
                         .rows = row_count(step),
                         .sums = workspace(step, SUMS)->data},
            .add = sums_variants[run->isa],
            .multiply = variants[run->isa],
            .lanes = et_cpu_lanes(run, (size_t)shared->sizes[0]),
            .shared = shared->data,
            .shared_size = (size_t)shared->sizes[1]};
  w.strassen.product.panels = et_cpu_product_panels(step)->data;
  w.pairs = et_cpu_strassen_pairs(w.strassen.rows);
  w.groups =
      et_cpu_parts(w.strassen.product.columns / 2, ET_CPU_STRASSEN_COLUMNS);
  split_pairs(&w, step->attributes[PAIRS]);
  for (size_t left = example_count(step); left > 0; left--) {
    et_cpu_for_each(run, w.lanes, add_sums, &w);
    et_cpu_for_each(run, w.lanes, run_lane, &w);
    to_next_example(&w.strassen);
  }
}

static const et_cpu_kind kind = {"strassen", check, run, 0};
const et_backend_part et_cpu_step_strassen = {ET_CPU_KIND_STRASSEN, &kind};
