/* Implements strassen.h: y = activation(x * W + bias + residual) with seven half-size GEMMs.
 *
 * a, b, c, d are the quarters of x and Wa, Wb, Wc, Wd those of the weights W, in row-major order.
 *
 *   P0 = a Wa      P1 = (c + d - a) (Wd - Wb + Wa)      P2 = b Wc
 *   P3 = (c + d) (Wb - Wa)      P4 = (a - c) (Wd - Wb)
 *   P5 = (b - c - d + a) Wd     P6 = d (Wc - Wd + Wb - Wa)
 *
 *   ya = P0 + P2                yb = P0 + P1 + P3 + P5
 *   yc = P0 + P1 + P4 + P6      yd = P0 + P1 + P3 + P4
 *
 * The products are computed in this order, which is also the order of the packed weights. P0 starts
 * from the bias of the left columns. P3 starts from the bias of the right columns minus that of the
 * left columns. */
#include "backends/cpu/microkernels/strassen.h"

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/k_blocks.h"
#include "backends/cpu/microkernels/sums.h"

/* Sums of the quarters of x: c + d, c + d - a, a - c, b - c - d + a. */
enum { LOWER, LOWER_WITHOUT_A, A_WITHOUT_C, REST };

/* Writes the four sums of a pair of rows, `stride` floats apart. If `lower` is NULL, the lower row
 * is treated as zeros. */
static void add_row(const float *upper, const float *lower, size_t half,
                    size_t stride, float *sums) {
  for (size_t i = 0; i < half; i += ET_CPU_LANES) {
    const et_f32 none = et_f32_all(0.0f);
    const et_f32 a = et_f32_load(upper + i);
    const et_f32 b = et_f32_load(upper + half + i);
    const et_f32 c = lower == NULL ? none : et_f32_load(lower + i);
    const et_f32 d = lower == NULL ? none : et_f32_load(lower + half + i);
    const et_f32 both = c + d;
    const et_f32 without = both - a;
    et_f32_store(sums + LOWER * stride + i, both);
    et_f32_store(sums + LOWER_WITHOUT_A * stride + i, without);
    et_f32_store(sums + A_WITHOUT_C * stride + i, a - c);
    et_f32_store(sums + REST * stride + i, b - without);
  }
}

void ET_CPU_NAME(et_cpu_strassen_sums_f32)(const et_cpu_strassen *strassen,
                                           size_t first_pair, size_t pairs) {
  const et_cpu_gemm *p = &strassen->product;
  const size_t all = et_cpu_strassen_pairs(strassen->rows);
  const size_t half = p->depth / 2;
  for (size_t i = first_pair; i < first_pair + pairs; i++) {
    const float *upper = p->x + i * p->depth;
    const float *lower =
        i + all < strassen->rows ? upper + all * p->depth : NULL;
    add_row(upper, lower, half, all * half, strassen->sums + i * half);
  }
}

/* A range of pairs of rows, and a group of columns of each half. */
typedef struct piece {
  const et_cpu_strassen *of;
  const et_cpu_range *range;
  size_t lower_rows;
  float *shared; /* P0 + P1, [pairs][columns] */
} piece;

/* Returns the offset of the first row of a quarter in a matrix with `columns` columns. */
static size_t quarter_at(const piece *p, size_t lower, size_t right,
                         size_t columns) {
  const size_t pairs = et_cpu_strassen_pairs(p->of->rows);
  return (p->range->first_row + lower * pairs) * columns + right * columns / 2;
}

static const float *quarter(const piece *p, size_t lower, size_t right) {
  const et_cpu_gemm *product = &p->of->product;
  return product->x + quarter_at(p, lower, right, product->depth);
}

static const float *sum(const piece *p, size_t index) {
  const size_t pairs = et_cpu_strassen_pairs(p->of->rows);
  return p->of->sums +
         (index * pairs + p->range->first_row) * (p->of->product.depth / 2);
}

static float *results(const piece *p, size_t lower, size_t right) {
  const et_cpu_gemm *product = &p->of->product;
  return product->out + p->range->first_column +
         quarter_at(p, lower, right, product->columns);
}

static const float *residual(const piece *p, size_t lower, size_t right) {
  const et_cpu_gemm *product = &p->of->product;
  return product->residual == NULL
             ? NULL
             : product->residual + p->range->first_column +
                   quarter_at(p, lower, right, product->columns);
}

static const float zeros[ET_CPU_STRASSEN_COLUMNS];
static const et_cpu_activation no_activation;

/* Returns the tiles of product `index`. Accumulators start from `start`; results are written to
 * `out`. */
static et_tiles tiles_of(const piece *p, size_t index, const float *start,
                         float *out) {
  const et_cpu_gemm *product = &p->of->product;
  const size_t half = product->depth / 2;
  const size_t first = p->range->first_column;
  const size_t size = half * p->range->columns;
  const float *panels =
      product->panels + first * half * ET_CPU_STRASSEN_PRODUCTS + index * size;
  const bool are_last = index + 1 == ET_CPU_STRASSEN_PRODUCTS &&
                        first + p->range->columns == product->columns / 2;
  const et_tiles tiles = {
      .segments = 1,
      .panels = panels,
      .panel_stride = half * ET_CPU_PANEL,
      .next = are_last ? NULL : panels + size,
      .start = start,
      .out = out,
      .out_stride = product->columns,
      .residual_stride = product->columns,
      .activation = &no_activation,
  };
  return tiles;
}

/* Returns the tiles of product `index`, the last one that is added to a quarter of the results. */
static et_tiles last_tiles(const piece *p, size_t index, size_t lower,
                           size_t right) {
  et_tiles tiles = tiles_of(p, index, NULL, results(p, lower, right));
  tiles.residual = residual(p, lower, right);
  tiles.activation = &p->of->product.activation;
  return tiles;
}

static void multiply(const piece *p, et_tiles tiles, const float *x,
                     size_t x_stride, size_t rows) {
  tiles.x = x;
  tiles.x_stride = x_stride;
  if (rows > 0) {
    et_tiles_in_parts(tiles, rows, p->range->columns, p->of->product.depth / 2);
  }
}

/* Computes the shared sum P0 + P1, and ya. */
static void run_first(const piece *p) {
  const et_cpu_gemm *product = &p->of->product;
  const size_t rows = p->range->rows;
  const float *bias = product->bias + p->range->first_column;
  multiply(p, tiles_of(p, 0, bias, results(p, 0, 0)), quarter(p, 0, 0),
           product->depth, rows);
  et_tiles shared = tiles_of(p, 1, zeros, p->shared);
  shared.out_stride = p->range->columns;
  shared.residual = results(p, 0, 0);
  multiply(p, shared, sum(p, LOWER_WITHOUT_A), product->depth / 2, rows);
  multiply(p, last_tiles(p, 2, 0, 0), quarter(p, 0, 1), product->depth, rows);
}

/* Computes P3 in yb, and all terms of yc except P6. */
static void run_second(const piece *p) {
  const et_cpu_gemm *product = &p->of->product;
  const float *bias =
      product->bias + p->range->first_column + product->columns / 2;
  multiply(p, tiles_of(p, 3, bias, results(p, 0, 1)), sum(p, LOWER),
           product->depth / 2, p->range->rows);
  et_tiles tiles = tiles_of(p, 4, zeros, results(p, 1, 0));
  tiles.residual = p->shared;
  tiles.residual_stride = p->range->columns;
  multiply(p, tiles, sum(p, A_WITHOUT_C), product->depth / 2, p->lower_rows);
}

/* Computes yd = yb + yc. Must run after run_second. */
static void add_last_quarter(const piece *p) {
  const size_t stride = p->of->product.columns;
  const size_t columns = p->range->columns;
  const float *more = residual(p, 1, 1);
  const float *yb = results(p, 0, 1);
  const float *yc = results(p, 1, 0);
  float *yd = results(p, 1, 1);
  for (size_t r = 0; r < p->lower_rows; r++) {
    for (size_t i = r * stride; i < r * stride + columns; i += ET_CPU_LANES) {
      const et_f32 both = et_f32_load(yb + i) + et_f32_load(yc + i);
      et_f32_store(yd + i, more == NULL ? both : both + et_f32_load(more + i));
    }
  }
  ET_CPU_NAME(et_cpu_activate_f32)
  (&p->of->product.activation, yd, stride, p->lower_rows, columns);
}

/* Adds the residual of yb to the shared sum. */
static void add_residual(const piece *p) {
  const float *more = residual(p, 0, 1);
  const size_t columns = p->range->columns;
  float *to = p->shared;
  for (size_t r = 0; r < p->range->rows; r++, to += columns) {
    for (size_t i = 0; i < columns; i += ET_CPU_LANES) {
      et_f32_store(to + i, et_f32_load(to + i) + et_f32_load(more + i));
    }
    more += p->of->product.columns;
  }
}

/* Completes yb and yc. */
static void run_last(const piece *p) {
  const et_cpu_gemm *product = &p->of->product;
  if (product->residual != NULL) {
    add_residual(p);
  }
  et_tiles tiles = last_tiles(p, 5, 0, 1);
  tiles.residual = p->shared;
  tiles.residual_stride = p->range->columns;
  multiply(p, tiles, sum(p, REST), product->depth / 2, p->range->rows);
  multiply(p, last_tiles(p, 6, 1, 0), quarter(p, 1, 1), product->depth,
           p->lower_rows);
}

void ET_CPU_NAME(et_cpu_strassen_f32)(const et_cpu_strassen *strassen,
                                      const et_cpu_range *range,
                                      float *workspace) {
  const size_t below = strassen->rows / 2 - range->first_row;
  const piece p = {
      .of = strassen,
      .range = range,
      .lower_rows = below < range->rows ? below : range->rows,
      .shared = workspace,
  };
  run_first(&p);
  run_second(&p);
  add_last_quarter(&p);
  run_last(&p);
}
