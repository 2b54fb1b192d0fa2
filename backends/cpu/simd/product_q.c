#include "backends/cpu/simd/product_q.h"

#include "backends/cpu/simd/codes.h"
#include "backends/cpu/simd/sums.h"

/* Panels and summands of a block of weights that are floats: 16 KiB, which lie on
 * the stack. */
#define BLOCK_PANELS 2
#define BLOCK_DEPTH 128

/* Where panel `panel` of a product begins. */
typedef struct place {
  const int32_t *words;
  const float *scales;
  const float *zero_points;
} place;

static place place_of(const et_cpu_product_q *p, size_t panel) {
  const size_t words = p->depth * p->bits / 32 * ET_PANEL;
  const size_t scales = p->depth / p->group * ET_PANEL;
  return (place){p->words + panel * words, p->scales + panel * scales,
                 p->zero_points == NULL ? NULL
                                        : p->zero_points + panel * scales};
}

/* Codes of one word row as floats: (code - zero point) * scale. */
ET_INLINE void put_words(const int32_t *words, const float *scales,
                         const float *zero_points, int bits, float *to) {
  const int codes = 32 / bits;
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    const et_i32 w = et_words_load(words + v * ET_CPU_LANES);
    const et_f32 scale = et_f32_load(scales + v * ET_CPU_LANES);
    const et_f32 zero = zero_points == NULL
                            ? et_f32_all(0.0f)
                            : et_f32_load(zero_points + v * ET_CPU_LANES);
    ET_UNROLL for (int j = 0; j < codes; j++) {
      et_f32_store(to + j * ET_PANEL + v * ET_CPU_LANES,
                   (et_code(w, j, bits) - zero) * scale);
    }
  }
}

/* Weights of one panel, of `depth` summands from number `first`. */
static void put_block(const et_cpu_product_q *p, size_t panel, size_t first,
                      size_t depth, float *to) {
  const size_t codes = 32 / p->bits;
  const place from = place_of(p, panel);
  for (size_t k = first; k < first + depth;
       k += codes, to += codes * ET_PANEL) {
    const int32_t *words = from.words + k / codes * ET_PANEL;
    const size_t group = k / p->group * ET_PANEL;
    const float *zero_points =
        from.zero_points == NULL ? NULL : from.zero_points + group;
    if (p->bits == 4) {
      put_words(words, from.scales + group, zero_points, 4, to);
    } else {
      put_words(words, from.scales + group, zero_points, 8, to);
    }
  }
}

static et_tiles tiles_of(const et_cpu_product_q *p, size_t row, size_t column,
                         const float *block) {
  const size_t first = row * p->columns + column;
  return (et_tiles){
      .x = p->x + row * p->depth,
      .x_stride = p->depth,
      .segments = 1,
      .panels = block,
      .panel_stride = BLOCK_DEPTH * ET_PANEL,
      .start = p->bias + column,
      .out = p->out + first,
      .out_stride = p->columns,
      .residual = p->residual == NULL ? NULL : p->residual + first,
      .residual_stride = p->columns,
      .activation = &p->activation,
  };
}

/* `columns` of at most BLOCK_PANELS panels. */
static void run_columns(const et_cpu_product_q *p, const et_cpu_range *range,
                        size_t column, size_t columns) {
  float block[BLOCK_PANELS * BLOCK_DEPTH * ET_PANEL];
  et_tiles tiles = tiles_of(p, range->first_row, column, block);
  size_t k = 0;
  do {
    tiles.depth = p->depth - k < BLOCK_DEPTH ? p->depth - k : BLOCK_DEPTH;
    for (size_t panel = 0; panel * ET_PANEL < columns; panel++) {
      put_block(p, column / ET_PANEL + panel, k, tiles.depth,
                block + panel * BLOCK_DEPTH * ET_PANEL);
    }
    k += tiles.depth;
    tiles.last = k == p->depth;
    ET_CPU_NAME(et_cpu_tiles)(&tiles, range->rows, columns);
    tiles.x += tiles.depth;
    tiles.start = NULL;
  } while (!tiles.last);
}

void ET_CPU_NAME(et_cpu_product_q_rows)(const et_cpu_product_q *product,
                                        const et_cpu_range *range) {
  const size_t most = BLOCK_PANELS * ET_PANEL;
  for (size_t c = 0; c < range->columns; c += most) {
    const size_t left = range->columns - c;
    run_columns(product, range, range->first_column + c,
                left < most ? left : most);
  }
}
