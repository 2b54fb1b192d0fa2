/* Implements tile.h: y[m, n] = activation(sum over k of x[m, k] * w[k, n] + start[n] + residual[m,
 * n]).
 *
 * Columns are processed in groups of the panels of one tile, and each group in ranges of tiles of
 * equal height. A tile accumulates all of K, in parts of PART elements, and prefetches a few lines
 * of the next panels in each part. Each size of ET_TILE_LIST is a function whose accumulators are
 * in registers. A partial panel is masked (AVX-512) or computed in local buffers. Layers with 24 or
 * 40 columns use wide tiles (tile_wide.h). */
#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/sums.h"
#include "backends/cpu/microkernels/tile_wide.h"
#include "runtime/core/arithmetic.h"

/* X(rows, panels) for each tile size whose accumulators and operands fit in registers. */
#if defined(ET_CPU_ISA_WASM_SIMD128)
#define ET_TILE_LIST(X) X(1, 1) X(1, 2) X(2, 1)
#elif defined(ET_CPU_ISA_PLAIN)
#define ET_TILE_LIST(X) X(1, 1) X(1, 2) X(2, 1) X(3, 1)
#elif defined(ET_CPU_ISA_AVX512)
#define ET_LOW_TILES(X) X(1, 1) X(1, 4) X(2, 1) X(2, 4) X(3, 1) X(3, 4)
#define ET_HIGH_TILES(X) X(4, 1) X(4, 4) X(6, 1) X(6, 2) X(6, 4)
#define ET_TILE_LIST(X) ET_LOW_TILES(X) ET_HIGH_TILES(X)
#else
#define ET_TILE_LIST(X) \
  X(1, 1) X(1, 4) X(2, 1) X(2, 2) X(3, 1) X(4, 1) X(5, 1) X(6, 1)
#endif

/* AVX-512 has short tiles and masks the missing lanes of a partial panel. */
#if defined(ET_CPU_ISA_AVX512)
#define HAS_LOW_TILES 1
#else
#define HAS_LOW_TILES 0
#endif
#define MASKS_LANES HAS_LOW_TILES

#define LOW_ROWS 3 /* rows of a short tile */

/* Prefetch distance of a single row, in elements of K. It reads weights at the speed of memory. */
#define AHEAD 40

ET_INLINE void fetch_ahead(const float *panels, size_t panel_stride, int rows,
                           int vectors) {
  if (rows == 1) {
    ET_UNROLL for (int p = 0; p * ET_PANEL_VECTORS < vectors; p++) {
      et_prefetch_near(panels + (size_t)p * panel_stride +
                       AHEAD * ET_CPU_PANEL);
    }
  }
}

/* Elements of K between prefetches of the next panels. With longer parts, so many lines are
 * prefetched at once that the loads of the tile wait for them. */
#define PART 16

ET_INLINE size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

/* Returns the number of parts that K of a tile is split into. */
ET_INLINE size_t parts_of(const et_tiles *t) {
  return t->segments * divide_up(t->depth, PART);
}

/* A group of panels. Its tiles together prefetch the next panels, a few lines in each part of K.
 * Loading the panels takes less time than the multiply-adds. */
typedef struct group {
  et_tiles tiles;
  size_t lines; /* lines per part to prefetch from each next panel, or 0 */
} group;

/* The pointers of a tile, and the increments to the next tile of the same height. */
typedef struct place {
  const float *const *begins; /* row pointers, [segment][ET_TILE_ROWS] */
  float *out;
  const float *residual;
  const float *next;
  size_t begins_op;
  size_t out_op;
  size_t residual_op;
  size_t next_step;
  size_t x_op;
  const float *rows[ET_TILE_ROWS]; /* row pointers without a table */
} place;

/* Lists the row pointers of a tile without a table. Missing rows repeat the first row. */
ET_INLINE void list_rows(const et_tiles *t, size_t row, size_t rows,
                         place *at) {
  at->begins = at->rows;
  at->x_op = rows * t->x_stride;
  for (size_t r = 0; r < ET_TILE_ROWS; r++) {
    at->rows[r] = t->x + (r < rows ? row + r : row) * t->x_stride;
  }
}

/* Sets `at` to the tile of `rows` rows that starts at row `row`. */
static void find_place(const group *g, size_t tile, size_t row, size_t rows,
                       place *at) {
  const et_tiles *t = &g->tiles;
  at->out_op = rows * t->out_stride;
  at->out = t->out + row * t->out_stride;
  at->residual = NULL;
  if (t->residual != NULL) {
    at->residual_op = rows * t->residual_stride;
    at->residual = t->residual + row * t->residual_stride;
  }
  if (g->lines > 0) {
    at->next_step = parts_of(t) * g->lines * ET_CPU_PANEL;
    at->next = t->next + tile * at->next_step;
  }
  if (t->table == NULL) {
    list_rows(t, row, rows, at);
  } else {
    at->begins_op = t->segments * ET_TILE_ROWS;
    at->begins = t->table + tile * at->begins_op;
  }
}

/* Advances `at` to the next tile. If this function is inlined into a tile, compilers keep one
 * counter per address, which is a third of the tile's code. */
ET_NOINLINE void move_on(const group *g, place *at) {
  at->out += at->out_op;
  if (at->residual != NULL) {
    at->residual += at->residual_op;
  }
  if (g->lines > 0) {
    at->next += at->next_step;
  }
  if (g->tiles.table != NULL) {
    at->begins += at->begins_op;
    return;
  }
  const size_t step = at->x_op;
  ET_UNROLL for (int r = 0; r < ET_TILE_ROWS; r++) { at->rows[r] += step; }
}

/* Prefetches the lines of one part. Returns the pointer to the lines of the next part. */
ET_INLINE const float *fetch_next(const group *g, const float *next,
                                  int vectors) {
  for (size_t i = 0; i < g->lines; i++, next += ET_CPU_PANEL) {
    ET_UNROLL for (int p = 0; p * ET_PANEL_VECTORS < vectors; p++) {
      et_prefetch_near(next + (size_t)p * g->tiles.panel_stride);
    }
  }
  return next;
}

/* Adds x[r][k] * panel[k] to the accumulators. */
ET_INLINE void add_k(const float *const *row, const float *panel,
                     size_t panel_stride, size_t k, int rows, int vectors,
                     et_sums sums) {
  et_f32 w[ET_TILE_VECTORS];
  fetch_ahead(panel, panel_stride, rows, vectors);
  ET_UNROLL for (int v = 0; v < vectors; v++) {
    w[v] = et_f32_load(panel + v / ET_PANEL_VECTORS * panel_stride +
                       v % ET_PANEL_VECTORS * ET_CPU_LANES);
    if (rows > 1) { /* A single row uses weights as memory operands. */
      ET_PIN(w[v]);
    }
  }
  ET_UNROLL for (int r = 0; r < rows; r++) {
    const et_f32 x = et_f32_all(row[r][k]);
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      sums[r][v] = et_f32_fma(x, w[v], sums[r][v]);
    }
  }
}

/* Adds elements `k` to `end - 1` of K. `panels` points to the weights of `k`. */
ET_INLINE void add_part(const float *const *row, const float *panels,
                        size_t panel_stride, size_t k, size_t end, int rows,
                        int vectors, et_sums sums) {
  for (; k < end; k++, panels += ET_CPU_PANEL) {
    ET_PIN_INDEX(k);
    add_k(row, panels, panel_stride, k, rows, vectors, sums);
  }
}

/* Adds one segment. Prefetches, starting at `next`, and returns the next address to prefetch. */
ET_INLINE const float *add_segment(const group *g, const float *const *begins,
                                   const float *panels, const float *next,
                                   int rows, int vectors, et_sums sums) {
  const size_t depth = g->tiles.depth;
  const float *row[ET_TILE_ROWS];
  ET_UNROLL for (int r = 0; r < rows; r++) { row[r] = begins[r]; }
  for (size_t k = 0; k < depth; k += PART) {
    next = fetch_next(g, next, vectors);
    add_part(row, panels + k * ET_CPU_PANEL, g->tiles.panel_stride, k,
             depth - k < PART ? depth : k + PART, rows, vectors, sums);
  }
  return next;
}

/* Computes `count` tiles, starting at `at`. */
ET_INLINE void run_tiles(const group *all, place *at, size_t count, int rows,
                         int vectors) {
  const group g = *all; /* a local copy, which stores cannot alias */
  const et_tiles *t = &g.tiles;
  for (; count > 0; count--, move_on(all, at)) {
    const float *const *begins = at->begins;
    const float *panels = t->panels;
    const float *next = at->next;
    et_sums sums;
    et_tile_begin(t, at->out, rows, vectors, sums);
    for (size_t s = 0; s < t->segments; s++, begins += ET_TILE_ROWS) {
      next = add_segment(&g, begins, panels, next, rows, vectors, sums);
      panels += t->depth * ET_CPU_PANEL;
    }
    et_tile_end(t, at->out, at->residual, rows, vectors, sums);
  }
}

typedef void tile_function(const group *g, place *at, size_t count);

#define DEFINE_TILE(rows, panels)                                              \
  static void run_##rows##x##panels(const group *g, place *at, size_t count) { \
    run_tiles(g, at, count, rows, (panels) * ET_PANEL_VECTORS);                \
  }
ET_TILE_LIST(DEFINE_TILE)

/* [rows][panels]; NULL if the tile does not exist. */
#define TILE_ENTRY(rows, panels) [rows][panels] = run_##rows##x##panels,
static tile_function *const tile_functions[ET_TILE_ROWS + 1]
                                          [ET_TILE_PANELS + 1] = {
                                              ET_TILE_LIST(TILE_ENTRY)};

/* Returns how many of `left` panels a tile of the given height computes at once. */
static size_t group_size(size_t height, size_t left) {
  size_t max = left < ET_TILE_PANELS ? left : ET_TILE_PANELS;
  while (tile_functions[height][max] == NULL) {
    max--;
  }
  return max;
}

static bool leaves_curve(const et_tiles *t) {
  return t->last && et_cpu_is_curve(t->activation);
}

/* Applies an activation that tiles do not apply, to rows starting at `row`. */
ET_NOINLINE void finish(const et_tiles *t, size_t row, size_t rows,
                        size_t columns) {
  if (leaves_curve(t)) {
    ET_CPU_NAME(et_cpu_activate_f32)
    (t->activation, t->out + row * t->out_stride, t->out_stride, rows, columns);
  }
}

/* Returns the number of leading rows that short tiles compute. If K is small, the stores of a tall
 * tile exceed the reorder window and cannot overlap with the multiply-adds of the next tile. If K is
 * large, short tiles would read the panels too often. At least two rows are left for other tiles,
 * because a single row has too few accumulators to hide the latency. */
#define SMALL_K 96
ET_NOINLINE size_t count_low_rows(const et_tiles *t, size_t rows,
                                  size_t panels) {
  const bool are_low = t->table == NULL && t->depth <= SMALL_K &&
                       panels == ET_TILE_PANELS && rows > LOW_ROWS;
  return are_low ? (rows - 2) / LOW_ROWS * LOW_ROWS : 0;
}

static size_t low_rows(const et_tiles *t, size_t rows, size_t panels) {
  return HAS_LOW_TILES ? count_low_rows(t, rows, panels) : 0;
}

/* Returns the number of lines of the next panels to prefetch per part. A single row prefetches its
 * own weights instead. */
static size_t lines_to_fetch(const et_tiles *t, size_t rows, size_t panels) {
  const size_t height = low_rows(t, rows, panels) > 0 ? LOW_ROWS : ET_TILE_ROWS;
  const size_t parts = parts_of(t) * divide_up(rows, height);
  return t->next == NULL || rows == 1 || parts == 0
             ? 0
             : divide_up(t->segments * t->depth, parts);
}

#define NEAR_TILES 4 /* tiles whose results are still in the L1 cache */

/* Consecutive tiles of equal height. */
typedef struct tile_range {
  size_t tile; /* first tile */
  size_t row;  /* first row of the tiles */
  size_t count;
  size_t height;
} tile_range;

ET_NOINLINE void run_function(const group *g, const tile_range *of,
                              size_t panels) {
  place at;
  find_place(g, of->tile, of->row, of->height, &at);
  tile_functions[of->height][panels](g, &at, of->count);
}

/* Computes one panel after the other. */
ET_NOINLINE void run_singly(const group *all, const tile_range *of,
                            size_t panels) {
  group g = *all;
  g.tiles.lanes = ET_CPU_PANEL;
  for (; panels > 0; panels--) {
    if (panels == 1) {
      g.tiles.lanes = all->tiles.lanes;
    }
    run_function(&g, of, 1);
    et_tiles_right(&g.tiles, 1);
    g.tiles.next += g.tiles.next == NULL ? 0 : g.tiles.panel_stride;
  }
}

/* Computes the tiles of `of` and advances `of` past them. Some tile heights exist for a single
 * panel only. An activation that tiles do not apply is applied after every few tiles. */
static void run_range(const group *g, tile_range *of, size_t panels,
                      size_t columns) {
  const size_t max = leaves_curve(&g->tiles) ? NEAR_TILES : of->count;
  size_t left = of->count;
  while (left > 0) {
    of->count = et_min_size(left, max);
    if (tile_functions[of->height][panels] != NULL) {
      run_function(g, of, panels);
    } else {
      run_singly(g, of, panels);
    }
    finish(&g->tiles, of->row, of->count * of->height, columns);
    of->tile += of->count;
    of->row += of->count * of->height;
    left -= of->count;
  }
}

/* Computes all rows. */
static void run_group(const group *g, size_t rows, size_t panels,
                      size_t columns) {
  tile_range of = {.count = low_rows(&g->tiles, rows, panels) / LOW_ROWS,
                   .height = LOW_ROWS};
  run_range(g, &of, panels, columns);
  while (of.row < rows) {
    of.height = et_tile_height(rows - of.row);
    of.count = et_equal_tiles(rows - of.row);
    run_range(g, &of, panels, columns);
  }
}

/* Returns the number of panels that tiles compute in place. */
static size_t whole_panels(size_t columns) {
  return (columns + (MASKS_LANES ? ET_CPU_PANEL - 1 : 0)) / ET_CPU_PANEL;
}

/* Computes a tile of one partial panel in local buffers, so that vectors stay within tensors. */
ET_NOINLINE void run_part(const group *g, size_t tile, size_t row, size_t rows,
                          size_t columns) {
  float out[ET_TILE_ROWS * ET_CPU_PANEL] = {0};
  float residual[ET_TILE_ROWS * ET_CPU_PANEL] = {0};
  group part = *g;
  place at;
  find_place(g, tile, row, rows, &at);
  float *const to = at.out;
  if (part.tiles.start == NULL) {
    et_copy_columns(to, g->tiles.out_stride, out, ET_CPU_PANEL, rows, columns);
  }
  if (at.residual != NULL) {
    et_copy_columns(at.residual, g->tiles.residual_stride, residual,
                    ET_CPU_PANEL, rows, columns);
    at.residual = residual;
    part.tiles.residual_stride = ET_CPU_PANEL;
  }
  at.out = out;
  part.tiles.out_stride = ET_CPU_PANEL;
  part.tiles.lanes = ET_CPU_PANEL;
  tile_functions[rows][1](&part, &at, 1);
  et_copy_columns(out, ET_CPU_PANEL, to, g->tiles.out_stride, rows, columns);
}

/* Computes the columns of a partial panel. */
ET_NOINLINE void run_rest(const et_tiles *tiles, size_t rows, size_t columns) {
  const group g = {*tiles, 0};
  size_t row = 0;
  for (size_t i = 0; row < rows && columns > 0; i++) {
    const size_t height = et_tile_height(rows - row);
    run_part(&g, i, row, height, columns);
    row += height;
  }
}

/* Computes all columns. `next` is prefetched last. Advances `g` past the last whole panel. */
ET_NOINLINE void run_columns(group *g, size_t rows, size_t columns,
                             const float *next) {
  const size_t height = et_tile_height(rows);
  et_tiles *t = &g->tiles;
  size_t left = whole_panels(columns);
  size_t rest = columns;
  while (left > 0) {
    const size_t panels = group_size(height, left);
    const size_t width = et_min_size(rest, panels * ET_CPU_PANEL);
    t->lanes = (width - 1) % ET_CPU_PANEL + 1;
    t->next = left > panels ? t->panels + panels * t->panel_stride : next;
    g->lines = lines_to_fetch(t, rows, panels);
    run_group(g, rows, panels, width);
    et_tiles_right(t, panels);
    left -= panels;
    rest -= width;
  }
  if (!MASKS_LANES) {
    run_rest(t, rows, rest);
  }
  finish(t, 0, rows, rest);
}

#if defined(ET_HAS_WIDE)
/* Returns the number of trailing columns that wide tiles compute. It is 0 for rows with a table. */
static size_t wide_columns(const et_tiles *t, size_t rows, size_t columns) {
  static const size_t others[] = {0, 2 * ET_CPU_PANEL, ET_CPU_PANEL};
  if (t->table != NULL || rows < ET_WIDE_ROWS || columns < ET_WIDE_COLUMNS ||
      columns % ET_WIDE_HALF != 0 || (ET_WIDE_BEGINS && t->start == NULL)) {
    return 0;
  }
  if (ET_MAX_WIDE_DEPTH == 0 || t->depth > ET_MAX_WIDE_DEPTH) {
    return columns % ET_CPU_PANEL == 0 ? 0 : ET_WIDE_COLUMNS;
  }
  return columns - others[columns % ET_WIDE_COLUMNS / ET_WIDE_HALF];
}

/* Advances by `rows` rows. */
static void move_down(et_tiles *t, size_t rows) {
  t->x += rows * t->x_stride;
  t->out += rows * t->out_stride;
  t->residual += t->residual == NULL ? 0 : rows * t->residual_stride;
}

/* Returns the weights that a column of wide tiles prefetches: one or two panels that only the next
 * column reads. */
static et_wide_next find_next(const et_tiles *t, size_t lane, size_t rows,
                              bool is_last) {
  const size_t panels = lane == 0 ? 1 : 2;
  et_wide_next next = {NULL, 0};
  if (ET_MAX_WIDE_DEPTH > 0 && !is_last && rows > 0) {
    next.at = t->panels + 2 * t->panel_stride;
    next.lines = divide_up(panels * t->depth, rows / ET_WIDE_ROWS);
  }
  return next;
}

/* Computes a panel and a half of columns, starting at `column`, for rows that fill tiles. An
 * activation that tiles do not apply is applied after every few tiles. */
static void run_wide_column(const et_tiles *all, size_t column, size_t rows,
                            bool is_last) {
  et_tiles t = *all;
  const size_t lane = column % ET_CPU_PANEL;
  const size_t max = leaves_curve(all) ? NEAR_TILES * ET_WIDE_ROWS : rows;
  t.panels += column / ET_CPU_PANEL * t.panel_stride;
  et_wide_next next = find_next(&t, lane, rows, is_last);
  t.panels += lane;
  t.out += column;
  t.start += t.start == NULL ? 0 : column;
  t.residual += t.residual == NULL ? 0 : column;
  while (rows > 0) {
    const size_t some = et_min_size(rows, max);
    et_wide_tiles(&t, lane == 0 ? ET_WIDE_HALF : t.panel_stride - ET_WIDE_HALF,
                  some / ET_WIDE_ROWS, &next);
    finish(&t, 0, some, ET_WIDE_COLUMNS);
    move_down(&t, some);
    rows -= some;
  }
}

/* Rows that do not fill a wide tile are computed by other tiles. At least two rows remain for them,
 * because a single row has too few accumulators to hide the latency. */
static void run_wide(group *g, size_t rows, size_t max) {
  const size_t columns = ET_MAX_WIDE_DEPTH == 0 ? ET_WIDE_COLUMNS : max;
  const size_t left =
      rows % ET_WIDE_ROWS == 1 ? ET_WIDE_ROWS + 1 : rows % ET_WIDE_ROWS;
  for (size_t c = 0; c < columns; c += ET_WIDE_COLUMNS) {
    run_wide_column(&g->tiles, c, rows - left, c + ET_WIDE_COLUMNS == columns);
  }
  if (left > 0) {
    move_down(&g->tiles, rows - left);
    run_columns(g, left, columns, NULL);
  }
}
#else
static size_t wide_columns(const et_tiles *t, size_t rows, size_t columns) {
  (void)t;
  (void)rows;
  (void)columns;
  return 0;
}

static void run_wide(group *g, size_t rows, size_t columns) {
  (void)g;
  (void)rows;
  (void)columns;
}
#endif

void ET_CPU_NAME(et_cpu_tiles)(const et_tiles *tiles, size_t rows,
                               size_t columns) {
  const size_t wide = wide_columns(tiles, rows, columns);
  const size_t panels = (columns - wide) / ET_CPU_PANEL;
  group g = {*tiles, 0};
  if (rows == 0) {
    return;
  }
  run_columns(&g, rows, columns - wide,
              wide > 0 ? tiles->panels + panels * tiles->panel_stride
                       : tiles->next);
  if (wide > 0) {
    run_wide(&g, rows, wide);
  }
}
