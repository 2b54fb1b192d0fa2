#include "backends/cpu/simd/activate.h"
#include "backends/cpu/simd/sums.h"
#include "backends/cpu/simd/tile_wide.h"

/* Rows and panels of the tiles there are: what fits the registers beside the
 * vectors of a row of weights and one element. */
#if defined(ET_CPU_ISA_PLAIN)
#define ET_TILE_LIST(X) X(1, 1) X(1, 2) X(2, 1) X(3, 1)
#elif defined(ET_CPU_ISA_AVX512)
#define ET_TILES_OF(X, rows) X(rows, 1) X(rows, 2) X(rows, 4)
#define ET_TILE_LIST(X) \
  ET_TILES_OF(X, 1)     \
  X(2, 1)               \
  X(2, 4)               \
  X(3, 1) X(3, 4) X(4, 1) X(4, 4) ET_TILES_OF(X, 5) ET_TILES_OF(X, 6)
#else
#define ET_TILE_LIST(X) \
  X(1, 1) X(1, 4) X(2, 1) X(2, 2) X(3, 1) X(4, 1) X(5, 1) X(6, 1)
#endif

/* A single row reads every weight once, at the speed of memory: what comes next is
 * asked for that many summands ahead. */
#define AHEAD 16

ET_INLINE void fetch_ahead(const float *panels, size_t panel_stride, int rows,
                           int vectors) {
  if (rows == 1) {
    ET_UNROLL for (int p = 0; p * ET_PANEL_VECTORS < vectors; p++) {
      et_prefetch(panels + (size_t)p * panel_stride + AHEAD * ET_PANEL);
    }
  }
}

/* Summands that are added between two looks at what is to be fetched. */
#define PART 128

ET_INLINE size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

/* Parts that the summands of a tile are added in. */
ET_INLINE size_t parts_of(const et_tiles *t) {
  return t->segments * divide_up(t->depth, PART);
}

/* Some panels, and how the tiles of them fetch those that come next, all tiles
 * together: a few lines with each part, as reading them takes less time than
 * multiplying. */
typedef struct group {
  et_tiles tiles;
  size_t lines; /* of each next panel, with a part; 0: nothing is fetched */
} group;

/* Where a tile begins. */
typedef struct place {
  const float *const *begins; /* where its rows begin, if there is a table */
  const float *x;             /* else its first row */
  float *out;
  const float *residual;
  const float *next;
} place;

ET_INLINE place find_place(const group *g, size_t tile, size_t row) {
  const et_tiles *t = &g->tiles;
  place at = {.out = t->out + row * t->out_stride};
  if (t->table != NULL) {
    at.begins = t->table + tile * t->segments * ET_TILE_ROWS;
  } else {
    at.x = t->x + row * t->x_stride;
  }
  if (t->residual != NULL) {
    at.residual = t->residual + row * t->residual_stride;
  }
  if (g->lines > 0) {
    at.next = t->next + tile * parts_of(t) * g->lines * ET_PANEL;
  }
  return at;
}

ET_INLINE void fetch_next(const group *g, place *at, int vectors) {
  for (size_t i = 0; i < g->lines; i++, at->next += ET_PANEL) {
    ET_UNROLL for (int p = 0; p * ET_PANEL_VECTORS < vectors; p++) {
      et_prefetch(at->next + (size_t)p * g->tiles.panel_stride);
    }
  }
}

/* Adds x[row][k] * panel[k]. */
ET_INLINE void add_summand(const float *const *row, const float *panel,
                           size_t panel_stride, size_t k, int rows, int vectors,
                           et_sums sums) {
  et_f32 w[ET_TILE_VECTORS];
  fetch_ahead(panel, panel_stride, rows, vectors);
  ET_UNROLL for (int v = 0; v < vectors; v++) {
    w[v] = et_f32_load(panel + v / ET_PANEL_VECTORS * panel_stride +
                       v % ET_PANEL_VECTORS * ET_CPU_LANES);
    ET_PIN(w[v]);
  }
  ET_UNROLL for (int r = 0; r < rows; r++) {
    const et_f32 x = et_f32_all(row[r][k]);
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      sums[r][v] = et_f32_fma(x, w[v], sums[r][v]);
    }
  }
}

/* Sums of a summand from which on counting them takes no time to speak of. */
#define MANY 16

/* Adds those from `k` to before `end`. */
ET_INLINE void add_part(const float *const *row, const float *panels,
                        size_t panel_stride, size_t k, size_t end, int rows,
                        int vectors, et_sums sums) {
  if (rows * vectors < MANY) {
    ET_UNROLL_TWICE for (; k < end; k++) {
      add_summand(row, panels + k * ET_PANEL, panel_stride, k, rows, vectors,
                  sums);
    }
  } else {
    for (; k < end; k++) {
      add_summand(row, panels + k * ET_PANEL, panel_stride, k, rows, vectors,
                  sums);
    }
  }
}

/* Adds one segment, whose panels begin at `panels`. */
ET_INLINE void add_segment(const group *g, place *at,
                           const float *const *begins, const float *panels,
                           int rows, int vectors, et_sums sums) {
  const size_t depth = g->tiles.depth;
  const float *row[ET_TILE_ROWS];
  ET_UNROLL for (int r = 0; r < rows; r++) { row[r] = begins[r]; }
  for (size_t k = 0; k < depth; k += PART) {
    fetch_next(g, at, vectors);
    add_part(row, panels, g->tiles.panel_stride, k,
             depth - k < PART ? depth : k + PART, rows, vectors, sums);
  }
}

ET_INLINE void add_all(const group *g, place *at, int rows, int vectors,
                       et_sums sums) {
  const et_tiles *t = &g->tiles;
  const float *dense[ET_TILE_ROWS];
  ET_UNROLL for (int r = 0; r < rows; r++) {
    dense[r] = at->x + (size_t)r * t->x_stride;
  }
  const float *const *begins = at->begins != NULL ? at->begins : dense;
  const float *panels = t->panels;
  for (size_t s = 0; s < t->segments; s++, begins += ET_TILE_ROWS) {
    add_segment(g, at, begins, panels, rows, vectors, sums);
    panels += t->depth * ET_PANEL;
  }
}

/* Computes tiles `tile`, `tile` + 1, ..., the first from `row` on. */
ET_INLINE void run_tiles(const group *all, size_t tile, size_t row,
                         size_t count, int rows, int vectors) {
  const group g = *all; /* which no result overlaps, as compilers see */
  for (; count > 0; count--, tile++, row += (size_t)rows) {
    place at = find_place(&g, tile, row);
    et_sums sums;
    et_tile_begin(&g.tiles, at.out, rows, vectors, sums);
    add_all(&g, &at, rows, vectors, sums);
    et_tile_end(&g.tiles, at.out, at.residual, rows, vectors, sums);
  }
}

typedef void tile_function(const group *g, size_t tile, size_t row,
                           size_t count);

#define DEFINE_TILE(rows, panels)                                            \
  static void run_##rows##x##panels(const group *g, size_t tile, size_t row, \
                                    size_t count) {                          \
    run_tiles(g, tile, row, count, rows, (panels) * ET_PANEL_VECTORS);       \
  }
ET_TILE_LIST(DEFINE_TILE)

/* [rows][panels]; NULL: no such tile. */
#define TILE_ENTRY(rows, panels) [rows][panels] = run_##rows##x##panels,
static tile_function *const tile_functions[ET_TILE_ROWS + 1]
                                          [ET_TILE_PANELS + 1] = {
                                              ET_TILE_LIST(TILE_ENTRY)};

/* Whether there are tiles of so many panels for all rows. */
static bool has_tiles(const et_tile_split *split, size_t panels) {
  return tile_functions[split->height][panels] != NULL &&
         (split->taller == 0 ||
          tile_functions[split->height + 1][panels] != NULL);
}

/* The most panels of a tile, up to `most`. */
static size_t widest(const et_tile_split *split, size_t most) {
  while (!has_tiles(split, most)) {
    most--;
  }
  return most;
}

/* How many of `left` panels are worked on together: groups of like size. */
static size_t group_size(const et_tile_split *split, size_t left) {
  const size_t most = widest(split, ET_TILE_PANELS);
  const size_t groups = divide_up(left, most);
  return widest(split, divide_up(left, groups));
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static bool leaves_curve(const et_tiles *t) {
  return t->last && et_cpu_is_curve(t->activation);
}

/* Applies what the tiles themselves do not, to rows from `row` on. */
static void finish(const et_tiles *t, size_t row, size_t rows, size_t columns) {
  if (leaves_curve(t)) {
    ET_CPU_NAME(et_cpu_activate_f32)
    (t->activation, t->out + row * t->out_stride, t->out_stride, rows, columns);
  }
}

/* A single row fetches its own weights. */
static size_t lines_to_fetch(const et_tiles *t, size_t rows,
                             const et_tile_split *split) {
  const size_t parts = parts_of(t) * split->tiles;
  return t->next == NULL || rows == 1 || parts == 0
             ? 0
             : divide_up(t->segments * t->depth, parts);
}

/* Tiles whose results are still in the nearest cache. */
#define NEAR_TILES 4

/* `count` tiles of `height` rows, from tile `tile` and row `row` on. */
static void run_some(const group *g, size_t tile, size_t row, size_t count,
                     size_t height, size_t panels, size_t columns) {
  const size_t most = leaves_curve(&g->tiles) ? NEAR_TILES : count;
  for (; count > 0; count -= smaller(count, most), tile += most) {
    const size_t some = smaller(count, most);
    tile_functions[height][panels](g, tile, row, some);
    finish(&g->tiles, row, some * height, columns);
    row += some * height;
  }
}

static void run_group(const group *g, const et_tile_split *split, size_t panels,
                      size_t columns) {
  const size_t taller = split->taller;
  run_some(g, 0, 0, taller, split->height + 1, panels, columns);
  run_some(g, taller, taller * (split->height + 1), split->tiles - taller,
           split->height, panels, columns);
}

#if defined(ET_CPU_ISA_AVX512)
/* Columns are whole panels, and lanes of a last one. */
static size_t whole_panels(size_t columns) {
  return (columns + ET_PANEL - 1) / ET_PANEL;
}

static void run_rest(const et_tiles *tiles, const et_tile_split *split,
                     size_t columns) {
  (void)tiles;
  (void)split;
  (void)columns;
}
#else
static size_t whole_panels(size_t columns) { return columns / ET_PANEL; }

/* One tile of one panel of which only some columns exist: beside the tensors,
 * as a vector would reach past their ends. */
ET_APART void run_part(const group *g, size_t tile, size_t row, size_t rows,
                       size_t columns) {
  float out[ET_TILE_ROWS * ET_PANEL] = {0};
  float residual[ET_TILE_ROWS * ET_PANEL] = {0};
  const place at = find_place(g, tile, row);
  group part = *g;
  part.tiles.x = at.x;
  part.tiles.table = at.begins;
  part.tiles.out = out;
  part.tiles.out_stride = ET_PANEL;
  part.tiles.lanes = ET_PANEL;
  if (part.tiles.start == NULL) {
    et_copy_columns(at.out, g->tiles.out_stride, out, ET_PANEL, rows, columns);
  }
  if (at.residual != NULL) {
    et_copy_columns(at.residual, g->tiles.residual_stride, residual, ET_PANEL,
                    rows, columns);
    part.tiles.residual = residual;
    part.tiles.residual_stride = ET_PANEL;
  }
  tile_functions[rows][1](&part, 0, 0, 1);
  et_copy_columns(out, ET_PANEL, at.out, g->tiles.out_stride, rows, columns);
}

/* Columns that do not fill a panel. */
ET_APART void run_rest(const et_tiles *tiles, const et_tile_split *split,
                       size_t columns) {
  const group g = {*tiles, 0};
  size_t row = 0;
  for (size_t i = 0; i < split->tiles && columns > 0; i++) {
    const size_t rows = split->height + (i < split->taller ? 1 : 0);
    run_part(&g, i, row, rows, columns);
    row += rows;
  }
}

#endif

/* All columns; `next` is what comes after them. Afterwards `g` stands behind the
 * last panel that is whole. */
ET_APART void run_columns(group *g, size_t rows, size_t columns,
                          const float *next) {
  const et_tile_split split = et_split_rows(rows);
  et_tiles *t = &g->tiles;
  size_t left = whole_panels(columns);
  size_t rest = columns;
  while (left > 0) {
    const size_t panels = group_size(&split, left);
    const size_t width = smaller(rest, panels * ET_PANEL);
    t->lanes = (width - 1) % ET_PANEL + 1;
    t->next = left > panels ? t->panels + panels * t->panel_stride : next;
    g->lines = lines_to_fetch(t, rows, &split);
    run_group(g, &split, panels, width);
    et_tiles_right(t, panels);
    left -= panels;
    rest -= width;
  }
  run_rest(t, &split, rest);
  finish(t, 0, rows, rest);
}

#if defined(ET_HAS_WIDE)
/* How many columns, at the end, are worked on by wide tiles. Tables list others. */
static size_t wide_columns(const et_tiles *t, size_t rows, size_t columns) {
  return t->table == NULL && rows >= ET_WIDE_ROWS &&
                 columns >= ET_WIDE_COLUMNS &&
                 columns % ET_PANEL == ET_WIDE_HALF
             ? ET_WIDE_COLUMNS
             : 0;
}

static void run_wide_tiles(const group *all, size_t count) {
  const group g = *all; /* which no result overlaps, as compilers see */
  for (size_t i = 0; i < count; i++) {
    const place at = find_place(&g, i, i * ET_WIDE_ROWS);
    et_wide_tile(&g.tiles, at.x, at.out, at.residual);
  }
}

/* Rows that do not fill a tile are worked on as others are. */
static void run_wide(group *g, size_t rows) {
  const size_t tiles = rows / ET_WIDE_ROWS;
  const size_t whole = tiles * ET_WIDE_ROWS;
  et_tiles *t = &g->tiles;
  g->lines = 0;
  run_wide_tiles(g, tiles);
  finish(t, 0, whole, ET_WIDE_COLUMNS);
  if (whole < rows) {
    t->x += whole * t->x_stride;
    t->out += whole * t->out_stride;
    t->residual += t->residual == NULL ? 0 : whole * t->residual_stride;
    run_columns(g, rows - whole, ET_WIDE_COLUMNS, NULL);
  }
}
#else
static size_t wide_columns(const et_tiles *t, size_t rows, size_t columns) {
  (void)t;
  (void)rows;
  (void)columns;
  return 0;
}

static void run_wide(group *g, size_t rows) {
  (void)g;
  (void)rows;
}
#endif

void ET_CPU_NAME(et_cpu_tiles)(const et_tiles *tiles, size_t rows,
                               size_t columns) {
  const size_t wide = wide_columns(tiles, rows, columns);
  const size_t panels = (columns - wide) / ET_PANEL;
  group g = {*tiles, 0};
  if (rows == 0) {
    return;
  }
  run_columns(&g, rows, columns - wide,
              wide > 0 ? tiles->panels + panels * tiles->panel_stride
                       : tiles->next);
  if (wide > 0) {
    run_wide(&g, rows);
  }
}
