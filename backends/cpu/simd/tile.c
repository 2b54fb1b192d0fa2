#include "backends/cpu/simd/activate.h"
#include "backends/cpu/simd/sums.h"

/* Rows and panels of the tiles there are: what fits the registers beside the
 * vectors of a row of weights and one element. */
#if defined(ET_CPU_ISA_PLAIN)
#define ET_TILE_LIST(X) X(1, 1) X(1, 2) X(2, 1) X(3, 1)
#elif defined(ET_CPU_ISA_AVX512)
#define ET_TILES_OF(X, rows) X(rows, 1) X(rows, 2) X(rows, 3) X(rows, 4)
#define ET_TILE_LIST(X) \
  ET_TILES_OF(X, 1)     \
  ET_TILES_OF(X, 2)     \
  ET_TILES_OF(X, 3) ET_TILES_OF(X, 4) ET_TILES_OF(X, 5) ET_TILES_OF(X, 6)
#else
#define ET_TILE_LIST(X) \
  X(1, 1) X(1, 2) X(1, 4) X(2, 1) X(2, 2) X(3, 1) X(4, 1) X(5, 1) X(6, 1)
#endif

/* How many summands ahead. */
#define AHEAD 16

/* A single row reads every weight once, at the speed of memory: what comes next is
 * asked for early. With more rows it is in the cache, and asking costs time. */
ET_INLINE void et_tile_fetch(const float *panels, size_t panel_stride, int rows,
                             int vectors) {
  if (rows == 1) {
    ET_UNROLL for (int p = 0; p * ET_PANEL_VECTORS < vectors; p++) {
      et_prefetch(panels + (size_t)p * panel_stride + AHEAD * ET_PANEL);
    }
  }
}

/* Adds x[row][k] * panel[k] for one segment; returns the panels' next k. */
ET_INLINE const float *et_tile_add(const float *const *begins,
                                   const float *panels, size_t panel_stride,
                                   size_t depth, int rows, int vectors,
                                   et_sums sums) {
  const float *row[ET_TILE_ROWS];
  ET_UNROLL for (int r = 0; r < rows; r++) { row[r] = begins[r]; }
  for (size_t k = 0; k < depth; k++, panels += ET_PANEL) {
    et_f32 w[ET_TILE_VECTORS];
    et_tile_fetch(panels, panel_stride, rows, vectors);
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      w[v] = et_f32_load(panels + v / ET_PANEL_VECTORS * panel_stride +
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
  return panels;
}

ET_INLINE void et_tile_add_all(const et_tiles *t, int rows, int vectors,
                               et_sums sums) {
  const float *dense[ET_TILE_ROWS];
  ET_UNROLL for (int r = 0; r < rows; r++) {
    dense[r] = t->x + (size_t)r * t->x_stride;
  }
  const float *const *begins = t->table != NULL ? t->table : dense;
  const float *panels = t->panels;
  for (size_t s = 0; s < t->segments; s++, begins += ET_TILE_ROWS) {
    panels = et_tile_add(begins, panels, t->panel_stride, t->depth, rows,
                         vectors, sums);
  }
}

/* What lies under `count` tiles. */
ET_INLINE et_tiles below(et_tiles tiles, size_t count, size_t rows) {
  tiles.out += count * rows * tiles.out_stride;
  if (tiles.table != NULL) {
    tiles.table += count * tiles.segments * ET_TILE_ROWS;
  } else {
    tiles.x += count * rows * tiles.x_stride;
  }
  if (tiles.residual != NULL) {
    tiles.residual += count * rows * tiles.residual_stride;
  }
  return tiles;
}

ET_INLINE void et_tile_run(const et_tiles *tiles, size_t count, int rows,
                           int vectors) {
  et_tiles t = *tiles;
  for (size_t i = 0; i < count; i++, t = below(t, 1, (size_t)rows)) {
    et_sums sums;
    et_tile_begin(&t, rows, vectors, sums);
    et_tile_add_all(&t, rows, vectors, sums);
    et_tile_end(&t, rows, vectors, sums);
  }
}

typedef void tile_function(const et_tiles *tiles, size_t count);

#define DEFINE_TILE(rows, panels)                                          \
  static void run_##rows##x##panels(const et_tiles *tiles, size_t count) { \
    et_tile_run(tiles, count, rows, (panels) * ET_PANEL_VECTORS);          \
  }
ET_TILE_LIST(DEFINE_TILE)

/* [rows][panels]; NULL: no such tile. */
#define TILE_ENTRY(rows, panels) [rows][panels] = run_##rows##x##panels,
static tile_function *const tile_functions[ET_TILE_ROWS + 1]
                                          [ET_TILE_PANELS + 1] = {
                                              ET_TILE_LIST(TILE_ENTRY)};

/* How many of `left` panels are worked on together: groups of like size. */
static size_t group_size(size_t rows, size_t left) {
  size_t widest = ET_TILE_PANELS;
  while (tile_functions[rows][widest] == NULL) {
    widest--;
  }
  const size_t groups = (left + widest - 1) / widest;
  size_t size = (left + groups - 1) / groups;
  while (tile_functions[rows][size] == NULL) {
    size--;
  }
  return size;
}

/* Applies what the tiles themselves do not. */
static void finish(const et_tiles *tiles, size_t rows, size_t columns) {
  if (tiles->last && et_cpu_is_curve(tiles->activation)) {
    ET_CPU_NAME(et_cpu_activate_f32)
    (tiles->activation, tiles->out, tiles->out_stride, rows, columns);
  }
}

static void run_group(const et_tiles *tiles, const et_tile_split *split,
                      size_t panels) {
  if (split->taller > 0) {
    tile_functions[split->height + 1][panels](tiles, split->taller);
  }
  if (split->tiles > split->taller) {
    const et_tiles rest = below(*tiles, split->taller, split->height + 1);
    tile_functions[split->height][panels](&rest, split->tiles - split->taller);
  }
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

/* Tiles of half a panel: networks have many layers of 24 or 40 columns. */
#define HALF (ET_PANEL / 2)
#define DEFINE_HALF(rows)                                            \
  static void run_half_##rows(const et_tiles *tiles, size_t count) { \
    et_tile_run(tiles, count, rows, ET_PANEL_VECTORS / 2);           \
  }
#define HALF_ENTRY(rows) [rows] = run_half_##rows,
#if ET_TILE_ROWS == 6
#define HALF_LIST(X) X(1) X(2) X(3) X(4) X(5) X(6)
#else
#define HALF_LIST(X) X(1) X(2) X(3)
#endif
HALF_LIST(DEFINE_HALF)
static tile_function *const half_functions[ET_TILE_ROWS + 1] = {
    HALF_LIST(HALF_ENTRY)};

/* One tile of one panel of which only some columns exist: beside the tensors,
 * as a vector would reach past their ends. */
static void run_part(const et_tiles *tiles, size_t rows, size_t columns) {
  float out[ET_TILE_ROWS * ET_PANEL] = {0};
  float residual[ET_TILE_ROWS * ET_PANEL] = {0};
  et_tiles part = *tiles;
  part.out = out;
  part.out_stride = ET_PANEL;
  if (tiles->start == NULL) {
    et_copy_columns(tiles->out, tiles->out_stride, out, ET_PANEL, rows,
                    columns);
  }
  if (tiles->residual != NULL) {
    et_copy_columns(tiles->residual, tiles->residual_stride, residual, ET_PANEL,
                    rows, columns);
    part.residual = residual;
    part.residual_stride = ET_PANEL;
  }
  tile_functions[rows][1](&part, 1);
  et_copy_columns(out, ET_PANEL, tiles->out, tiles->out_stride, rows, columns);
}

/* Columns that do not fill a panel. */
static void run_rest(const et_tiles *all, const et_tile_split *split,
                     size_t columns) {
  et_tiles tiles = *all;
  for (size_t i = 0; i < split->tiles; i++) {
    const size_t rows = split->height + (i < split->taller ? 1 : 0);
    if (columns == HALF) {
      half_functions[rows](&tiles, 1);
    } else if (columns > 0) {
      run_part(&tiles, rows, columns);
    }
    tiles = below(tiles, 1, rows);
  }
}

#endif

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

void ET_CPU_NAME(et_cpu_tiles)(const et_tiles *tiles, size_t rows,
                               size_t columns) {
  const et_tile_split split = et_split_rows(rows);
  et_tiles t = *tiles;
  size_t left = rows == 0 ? 0 : whole_panels(columns);
  size_t rest = columns;
  while (left > 0) {
    const size_t panels =
        group_size(split.height + (split.taller > 0 ? 1 : 0), left);
    const size_t width = smaller(rest, panels * ET_PANEL);
    t.lanes = (width - 1) % ET_PANEL + 1;
    run_group(&t, &split, panels);
    finish(&t, rows, width);
    et_tiles_right(&t, panels);
    left -= panels;
    rest -= width;
  }
  run_rest(&t, &split, rest);
  finish(&t, rows, rest);
}
