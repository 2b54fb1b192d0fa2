#include "backends/cpu/simd/product_q.h"

#include "backends/cpu/simd/codes.h"
#include "backends/cpu/simd/widened.h"

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

/* An et_put_block of an et_cpu_product_q. */
static void put_block(const void *weights, size_t panel, size_t first,
                      size_t depth, float *to) {
  const et_cpu_product_q *p = weights;
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

void ET_CPU_NAME(et_cpu_product_q_rows)(const et_cpu_product_q *product,
                                        const et_cpu_range *range) {
  const et_cpu_product rows = {.x = product->x,
                               .bias = product->bias,
                               .residual = product->residual,
                               .out = product->out,
                               .depth = product->depth,
                               .columns = product->columns,
                               .activation = product->activation};
  et_widened_product(&rows, product, put_block, range);
}
