#include "kernels/engines/gemm.h"

#include <string.h>

/* A tile of the result stays in registers: TILE_ROWS rows of TILE_VECTORS
 * vectors of LANES floats. The tile leaves enough registers for a row of b and
 * an element of a. Compilers split the vectors for processors without vector
 * registers. */
#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX__)
#define LANES 8
#else
#define LANES 4
#endif
#if defined(__SSE2__) || defined(__ARM_NEON)
#define TILE_ROWS 6
#define FOR_EACH_TILE(TILE) TILE(6) TILE(4) TILE(2) TILE(1)
#else
#define TILE_ROWS 2
#define FOR_EACH_TILE(TILE) TILE(2) TILE(1)
#endif
#define TILE_VECTORS 2

/* If the instruction set has no broadcast load, the elements of a are repeated
 * in memory, once per row of tiles. */
#if defined(__SSE2__) && !defined(__AVX__)
#define HAS_BROADCAST false
#else
#define HAS_BROADCAST true
#endif

/* Tile loops must be unrolled before register allocation. Otherwise, `sum` is
 * spilled around the K loop, which takes half of the time of a short loop. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 6")
#endif

#define LINE 16 /* floats per cache line */

/* Depth block: the part of K that a tile accumulates before it is added to the
 * result. The data that a tile reads stays in the L1 cache. Rounding depends
 * only on this block, not on the position in a tile. */
#define TILE_DEPTH 64

typedef float vector __attribute__((vector_size(LANES * sizeof(float))));

/* A GEMM that is accumulated in `out`, with a reduction depth of at most
 * TILE_DEPTH. `out_stride` is the row stride of `out`. */
typedef struct gemm_block {
  size_t depth;
  et_gemm_matrix a;
  et_gemm_panel b;
  et_gemm_start start; /* its first row is that of `out` */
  float *out;
  size_t out_stride;
} gemm_block;

static inline vector load(const float *from) {
  vector value;
  memcpy(&value, from, sizeof value);
  return value;
}

static inline void store(vector value, float *to) {
  memcpy(to, &value, sizeof value);
}

/* Broadcasts a value to all lanes. */
static inline vector repeat(float value) { return value - (vector){0.0f}; }

static inline vector load_factor(const float *from) {
  return HAS_BROADCAST ? repeat(*from) : load(from);
}

/* Returns the initial value of row `row`, for the vector at `out`. */
static inline vector start_of(const gemm_block *p, size_t row,
                              const float *out) {
  if (!p->start.fresh) {
    return load(out);
  }
  return repeat(p->start.rows == NULL ? 0.0f : p->start.rows[row]);
}

/* Computes a tile of rows x vectors. Both are compile-time constants at each
 * call, so that the loops unroll and `sum` stays in registers. */
static inline __attribute__((always_inline)) void add_tile(
    size_t rows, size_t vectors, const gemm_block *p) {
  vector sum[TILE_ROWS][TILE_VECTORS];
  const float *a = p->a.data;
  const float *b = p->b.data;
  const ptrdiff_t row_stride = p->a.row_stride;
  UNROLL for (size_t i = 0; i < rows; i++) {
    UNROLL for (size_t v = 0; v < vectors; v++) { sum[i][v] = (vector){0.0f}; }
  }
  for (size_t k = 0; k < p->depth; k++) {
    UNROLL for (size_t i = 0; i < rows; i++) {
      const vector x = load_factor(a + (ptrdiff_t)i * row_stride);
      UNROLL for (size_t v = 0; v < vectors; v++) {
        sum[i][v] += x * load(b + v * LANES);
      }
    }
    a += p->a.column_stride;
    b += p->b.stride;
  }
  const size_t out_stride = p->out_stride;
  float *out = p->out;
  UNROLL for (size_t i = 0; i < rows; i++) {
    UNROLL for (size_t v = 0; v < vectors; v++) {
      store(start_of(p, i, out + v * LANES) + sum[i][v], out + v * LANES);
    }
    out += out_stride;
  }
}

#define DEFINE_TILE(rows)                            \
  static void add_wide_##rows(const gemm_block *p) { \
    add_tile(rows, TILE_VECTORS, p);                 \
  }                                                  \
  static void add_narrow_##rows(const gemm_block *p) { add_tile(rows, 1, p); }
FOR_EACH_TILE(DEFINE_TILE)

typedef struct tile {
  size_t rows;
  void (*add_wide)(const gemm_block *p);
  void (*add_narrow)(const gemm_block *p); /* one vector wide */
} tile;

/* Returns the height of the tallest tile that fits in `rows` > 0 rows. */
static const tile *tile_of(size_t rows) {
#define ENTRY(rows) {rows, add_wide_##rows, add_narrow_##rows},
  static const tile tiles[] = {FOR_EACH_TILE(ENTRY)};
#undef ENTRY
  const tile *t = tiles;
  while (t->rows > rows) {
    t++;
  }
  return t;
}

/* Computes one row of tiles. `columns` is a multiple of LANES. */
static void add_vectors(const tile *t, gemm_block p, size_t columns) {
  const size_t wide = TILE_VECTORS * LANES;
  for (; columns >= wide; columns -= wide) {
    t->add_wide(&p);
    p.b.data += wide;
    p.out += wide;
  }
  for (; columns > 0; columns -= LANES) {
    t->add_narrow(&p);
    p.b.data += LANES;
    p.out += LANES;
  }
}

static void copy_rows(size_t rows, size_t columns, const float *from,
                      size_t from_stride, float *to, size_t to_stride) {
  for (size_t i = 0; i < rows; i++) {
    memcpy(to + i * to_stride, from + i * from_stride, columns * sizeof(float));
  }
}

/* Computes the last columns of a row of tiles, fewer than a vector, in a copy
 * of the output. p.b is already a copy. */
static void add_edge(const tile *t, gemm_block p, size_t columns) {
  float out[TILE_ROWS * LANES] = {0.0f};
  float *const edge = p.out;
  const size_t stride = p.out_stride;
  copy_rows(t->rows, columns, edge, stride, out, LANES);
  p.out = out;
  p.out_stride = LANES;
  t->add_narrow(&p);
  copy_rows(t->rows, columns, out, LANES, edge, stride);
}

/* Writes each element of `rows` rows of a LANES times to `to`. */
static et_gemm_matrix repeat_elements(size_t rows, const gemm_block *p,
                                      float *to) {
  const ptrdiff_t column_stride = p->a.column_stride;
  for (size_t i = 0; i < rows; i++) {
    const float *from = p->a.data + (ptrdiff_t)i * p->a.row_stride;
    float *at = to + i * LANES;
    for (size_t k = 0; k < p->depth; k++, at += rows * LANES) {
      store(repeat(*from), at);
      from += column_stride;
    }
  }
  return (et_gemm_matrix){to, LANES, (ptrdiff_t)(rows * LANES)};
}

/* Copies the columns after the last full vector, padded to a vector. */
static et_gemm_panel copy_edge(const gemm_block *p, size_t whole,
                               size_t columns, float *to) {
  memset(to, 0, p->depth * LANES * sizeof(float));
  copy_rows(p->depth, columns, p->b.data + whole, p->b.stride, to, LANES);
  return (et_gemm_panel){to, LANES};
}

static void add_tiles(const tile *t, gemm_block p, size_t whole, size_t columns,
                      et_gemm_panel edge) {
  float repeated[HAS_BROADCAST ? 1 : TILE_DEPTH * TILE_ROWS * LANES];
  if (!HAS_BROADCAST) {
    p.a = repeat_elements(t->rows, &p, repeated);
  }
  add_vectors(t, p, whole);
  if (whole < columns) {
    p.b = edge;
    p.out += whole;
    add_edge(t, p, columns - whole);
  }
}

/* Prefetches the elements of a for the next row of tiles. Its rows are read in
 * pieces that are too short for the hardware prefetcher. */
static void prefetch_rows(size_t rows, const gemm_block *p) {
  for (size_t i = 0; i < rows; i++) {
    const float *row = p->a.data + (ptrdiff_t)i * p->a.row_stride;
    for (size_t k = 0; k < p->depth; k += LINE) {
      __builtin_prefetch(row + (ptrdiff_t)k * p->a.column_stride);
    }
  }
}

static void skip_rows(size_t rows, gemm_block *p) {
  p->a.data += (ptrdiff_t)rows * p->a.row_stride;
  p->out += rows * p->out_stride;
  if (p->start.rows != NULL) {
    p->start.rows += rows;
  }
}

static void add_block(size_t rows, size_t columns, gemm_block p) {
  float copy[TILE_DEPTH * LANES];
  const size_t whole = columns / LANES * LANES;
  et_gemm_panel edge = p.b;
  if (whole < columns) {
    edge = copy_edge(&p, whole, columns - whole, copy);
  }
  for (size_t i = 0; i < rows;) {
    const tile *t = tile_of(rows - i);
    const gemm_block tiles = p;
    i += t->rows;
    skip_rows(t->rows, &p);
    prefetch_rows(rows - i < TILE_ROWS ? rows - i : TILE_ROWS, &p);
    add_tiles(t, tiles, whole, columns, edge);
  }
}

/* Runs once if depth is 0, to write the start values. */
void et_gemm_accumulate(size_t rows, size_t columns, size_t depth,
                        const et_gemm_matrix *a, const et_gemm_panel *b,
                        et_gemm_start start, float *out, size_t out_stride) {
  gemm_block p = {0, *a, *b, start, out, out_stride};
  do {
    p.depth = depth < TILE_DEPTH ? depth : TILE_DEPTH;
    add_block(rows, columns, p);
    p.a.data += TILE_DEPTH * a->column_stride;
    p.b.data += TILE_DEPTH * b->stride;
    p.start.fresh = false;
    depth -= p.depth;
  } while (depth > 0);
}

/* Independent accumulators. With a single accumulator, the additions would form
 * a serial chain, which prevents vectorization. */
#define ACCUMULATORS 32

static void add_dot_products(const float *restrict a, const float *restrict b,
                             float *restrict accumulators) {
  for (size_t j = 0; j < ACCUMULATORS; j++) {
    accumulators[j] += a[j] * b[j] + a[j + ACCUMULATORS] * b[j + ACCUMULATORS] +
                       a[j + 2 * ACCUMULATORS] * b[j + 2 * ACCUMULATORS] +
                       a[j + 3 * ACCUMULATORS] * b[j + 3 * ACCUMULATORS];
  }
}

float et_gemm_dot(const float *a, const float *b, size_t depth) {
  float accumulators[ACCUMULATORS] = {0.0f};
  size_t k = 0;
  for (; k + 4 * ACCUMULATORS <= depth; k += 4 * ACCUMULATORS) {
    add_dot_products(a + k, b + k, accumulators);
  }
  for (; k < depth; k++) {
    accumulators[k % ACCUMULATORS] += a[k] * b[k];
  }
  for (size_t width = ACCUMULATORS / 2; width > 0; width /= 2) {
    for (size_t j = 0; j < width; j++) {
      accumulators[j] += accumulators[j + width];
    }
  }
  return accumulators[0];
}
