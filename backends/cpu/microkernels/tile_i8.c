/* Implements tile_i8.h: s[m, n] = sum over k of x[m, k] * w[k, n] in int32, or requantized to int8.
 *
 * A block of packed rows is multiplied by 1, 2 or 4 panels, [quad][16][4], in tiles of similar
 * heights:
 * - With exact dot products of quads, a tile is up to ET_I8_ROWS rows by 1 or 2 panels, or 6 rows
 *   by 4 panels (tile_exact_i8.h). With AVX-512, tiles are short if K is small (tile_low_i8.h).
 * - Otherwise, a tile is up to ET_I8_ROWS rows by one panel (tile_pairs_i8.h). If products do not
 *   fit in int16, weights are widened to int16 in K blocks of ET_WIDE_QUADS quads. Between two K
 *   blocks, accumulators are stored in [row][16]. */
#include "backends/cpu/microkernels/tile_even.h"
#include "backends/cpu/microkernels/tile_exact_i8.h"
#include "backends/cpu/microkernels/tile_low_i8.h"
#include "backends/cpu/microkernels/tile_pairs_i8.h"

ET_INLINE void put_tile(const et_block_i8 *b, size_t row, int rows, int panels,
                        et_sums_i8 sums) {
  if (b->is_last && b->target != NULL) {
    et_put_bytes_i8(b, row, rows, panels, sums);
  } else {
    et_put_sums_i8(b, row, rows, sums);
  }
}

/* Computes `rows` rows, starting at `row`, for `panels` panels. `rows` and `panels` are
 * compile-time constants. */
ET_INLINE void run_tile(const et_block_i8 *b, size_t row, int rows,
                        int panels) {
  et_sums_i8 sums;
  if (ET_DOT4_EXACT || b->is_first) {
    et_start_sums_i8(b, rows, panels, sums);
  } else {
    et_get_sums_i8(b, row, rows, sums);
  }
  et_add_products_i8(b, row, rows, panels, sums);
  put_tile(b, row, rows, panels, sums);
}

#if ET_SUMS_OF_16
/* Computes a tile of one panel by adding products in int16. */
ET_INLINE void run_tile_of_16(const et_block_i8 *b, size_t row, int rows) {
  et_sums_i8 sums;
  et_start_sums_i8(b, rows, 1, sums);
  et_add_products_of_16_i8(b, row, rows, sums);
  put_tile(b, row, rows, 1, sums);
}
#endif

#if defined(ET_CPU_ISA_WASM_SIMD128)
#define TILE_LIST(X) X(1) X(2)
#elif defined(ET_CPU_ISA_PLAIN)
#define TILE_LIST(X) X(1) X(2) X(3)
#elif defined(ET_CPU_ISA_AVX512)
#define TILE_LIST(X) X(1) X(2) X(4) X(6) X(8)
#elif ET_DOT4_EXACT
#define TILE_LIST(X) X(1) X(2) X(4) X(6)
#else
#define TILE_LIST(X) X(1) X(2) X(3) X(4) X(5) X(6)
#endif

/* Whether each tile is a call. In WebAssembly, tiles have too few rows for that. */
#if ET_DOT4_EXACT && ET_I8_ROWS > 2
#define CALLS_EACH_TILE 1
#else
#define CALLS_EACH_TILE 0
#endif

#if CALLS_EACH_TILE
typedef et_tile_function tile_function;

#define DEFINE_TILE(rows, panels)                                    \
  static void run_##rows##_##panels(const void *block, size_t row) { \
    run_tile(block, row, rows, panels);                              \
  }
#else
/* Computes rows `row` to `end - 1` in tiles of a fixed height (one function per height). If K is
 * small, a call per tile would take 5 % of the time. */
typedef void tile_function(const et_block_i8 *b, size_t row, size_t end);

#define DEFINE_TILE(rows, panels)                                     \
  static void run_##rows##_##panels(const et_block_i8 *b, size_t row, \
                                    size_t end) {                     \
    for (; row < end; row += rows) {                                  \
      run_tile(b, row, rows, panels);                                 \
    }                                                                 \
  }
#endif
#define DEFINE_TILE_OF_1(rows) DEFINE_TILE(rows, 1)
#define TILE_ENTRY_OF_1(rows) [rows] = run_##rows##_1,
TILE_LIST(DEFINE_TILE_OF_1)

#if ET_I8_PANELS == 4
#define TILE_LIST_OF_4(X) X(1) X(2) X(4) X(6)
#define DEFINE_TILE_OF_2(rows) DEFINE_TILE(rows, 2)
#define DEFINE_TILE_OF_4(rows) DEFINE_TILE(rows, 4)
#define TILE_ENTRY_OF_2(rows) [rows] = run_##rows##_2,
#define TILE_ENTRY_OF_4(rows) [rows] = run_##rows##_4,
TILE_LIST(DEFINE_TILE_OF_2)
TILE_LIST_OF_4(DEFINE_TILE_OF_4)
#endif

static tile_function *const tile_functions[][ET_I8_ROWS + 1] = {
    [1] = {TILE_LIST(TILE_ENTRY_OF_1)},
#if ET_I8_PANELS == 4
    [2] = {TILE_LIST(TILE_ENTRY_OF_2)},
    [4] = {TILE_LIST_OF_4(TILE_ENTRY_OF_4)},
#endif
};

#if ET_SUMS_OF_16
/* These are separate functions: in a common function, each form would have fewer registers. */
#define DEFINE_TILE_OF_16(rows)                                   \
  static void run_##rows##_of_16(const void *block, size_t row) { \
    run_tile_of_16(block, row, rows);                             \
  }
#define TILE_ENTRY_OF_16(rows) [rows] = run_##rows##_of_16,
#define TILE_LIST_OF_16(X) X(1) X(2) X(4) X(6)
TILE_LIST_OF_16(DEFINE_TILE_OF_16)
static et_tile_function *const functions_of_16[] = {
    TILE_LIST_OF_16(TILE_ENTRY_OF_16)};
#endif

static size_t panels_of(const et_block_i8 *b) {
  return b->target != NULL ? et_i8_panels(b->target->columns) : 1;
}

#if CALLS_EACH_TILE
static void run_tiles(const et_block_i8 *b) {
  const size_t panels = panels_of(b);
  const size_t max =
      panels > 2 ? 6 : ET_I8_ROWS; /* number of rows that fit in registers */
#if defined(ET_CPU_ISA_AVX512)
  if (et_run_low_tiles_i8(b, panels)) {
    return;
  }
#endif
  et_run_even_tiles(b, b->packed->rows, max, tile_functions[panels]);
}
#else
/* Computes tiles of similar heights. No row is computed twice, because the tiles may add to the
 * accumulators of an earlier K block. */
static void run_tiles(const et_block_i8 *b) {
  const size_t rows = b->packed->rows;
#if ET_SUMS_OF_16
  if (b->packed->max_exact_terms > 1) {
    et_run_even_tiles(b, rows, ET_I8_ROWS, functions_of_16);
    return;
  }
#endif
  const size_t tiles = (rows + ET_I8_ROWS - 1) / ET_I8_ROWS;
  const size_t height = rows / tiles;
  const size_t higher =
      rows % tiles * (height + 1); /* rows in tiles with height + 1 rows */
  tile_function *const *functions = tile_functions[panels_of(b)];
  if (higher > 0) {
    functions[height + 1](b, 0, higher);
  }
  functions[height](b, higher, rows);
}
#endif

#if !ET_DOT4_EXACT
static void run_wide(et_block_i8 *b) {
  const size_t depth = b->packed->depth;
  int16_t wide[ET_WIDE_QUADS * ET_WIDE_QUAD] __attribute__((aligned(64)));
  b->wide = wide;
  b->is_last = false;
  for (; !b->is_last; b->first += b->depth) {
    const size_t left = depth - b->first;
    b->depth = left < ET_WIDE_QUADS ? left : ET_WIDE_QUADS;
    b->is_first = b->first == 0;
    b->is_last = b->depth == left;
    et_widen_panel_i8(b->panels + b->first * ET_WIDE_QUAD, b->depth, wide);
    run_tiles(b);
  }
}
#endif

static void run_block(et_block_i8 *b) {
#if !ET_DOT4_EXACT
  if (b->packed->words == 2 && b->packed->rows > 1) {
    run_wide(b);
    return;
  }
#endif
  b->depth = b->packed->depth;
  b->is_first = b->is_last = true;
  run_tiles(b);
}

#if ET_SUMS_OF_16
/* Returns the requantizer for elements relative to their row minima. Its accumulators start with
 * the products of the minima. */
static et_requantizer requantizer_above_minima(
    const et_packed_i8 *packed, const int8_t *panel,
    const et_requantizer *requantizer) {
  const et_cursor_i8 at = {
      .three = {(const int32_t *)(const void *)packed->minima}};
  et_requantizer r = *requantizer;
  et_add_widening_i8(at, panel, packed->depth, r.start);
  return r;
}
#endif

void ET_CPU_NAME(et_cpu_sums_i8)(const et_packed_i8 *packed,
                                 const int8_t *panel, int32_t *sums) {
  et_block_i8 b = {.packed = packed, .panels = panel, .sums = sums};
  run_block(&b);
}

void ET_CPU_NAME(et_cpu_tiles_i8)(const et_packed_i8 *packed,
                                  const int8_t *panels,
                                  const et_target_i8 *target) {
  int32_t sums[ET_I8_BLOCK_ROWS * ET_CPU_PANEL];
  et_block_i8 b = {
      .packed = packed, .panels = panels, .target = target, .sums = sums};
#if ET_SUMS_OF_16
  et_target_i8 above = *target;
  et_requantizer requantizer;
  if (packed->has_minima) {
    requantizer =
        requantizer_above_minima(packed, panels, target->requantizers);
    above.requantizers = &requantizer;
    b.target = &above;
  }
#endif
  run_block(&b);
}
