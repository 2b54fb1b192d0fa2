/* Implements et_cpu_sdpa_f32 of sdpa.h: SDPA of one group, with packed keys and values.
 *
 * For each block of ET_CPU_SDPA_KEYS keys, keys and values are packed in panels. Then, for each
 * head and each block of queries:
 *   scores = scale * q @ k^T + mask          (register tile, tile.h)
 *   weights = e^(scores - max), out += weights @ v  (online softmax, sdpa_sum.h; register tile)
 * At the end, out is divided by the sum of the weights. The scores of a block of queries take at
 * most ET_CPU_SDPA_SCORES floats (24 KB) and stay in the L1 cache. Multiply-adds are the
 * bottleneck. */
#include "backends/cpu/microkernels/sdpa.h"

#include "backends/cpu/microkernels/sdpa_keys.h"
#include "backends/cpu/microkernels/sdpa_sum.h"
#include "backends/cpu/microkernels/tile.h"
#include "runtime/core/arithmetic.h"

/* Maximum number of queries per block if each query attends to a different number of keys. It is a
 * multiple of the tile heights. */
#define MAX_DIVERGENT_QUERIES 36

/* A block of packed keys and values of one group, and the state of all queries. */
typedef struct block {
  size_t first; /* first key */
  size_t count;
  float *keys;   /* [panel][depth][ET_CPU_PANEL], scaled */
  float *values; /* [panel][count][ET_CPU_PANEL] */
  float *scores; /* [row][stride] */
  size_t stride;
  float *maxima; /* maximum score so far, per query of the group */
  float *sums;   /* sum of weights e^(score - max), per query */
} block;

/* A block of queries of one head. */
typedef struct queries {
  size_t head;
  size_t first;
  size_t count;
  size_t columns; /* visible keys of the block */
  float *maxima;
  float *sums;
} queries;

static size_t whole_panels(size_t columns) {
  return (columns + ET_CPU_PANEL - 1) / ET_CPU_PANEL * ET_CPU_PANEL;
}

typedef float four __attribute__((vector_size(16)));

/* Packs four elements of four keys. Each key becomes a column. */
ET_INLINE void pack_four(const float *from, size_t stride, float scale,
                         float *to) {
  four k[4];
  ET_UNROLL for (int i = 0; i < 4; i++) {
    memcpy(&k[i], from + (size_t)i * stride, sizeof(four));
    k[i] *= scale;
  }
  const four low = __builtin_shufflevector(k[0], k[1], 0, 4, 1, 5);
  const four low_next = __builtin_shufflevector(k[2], k[3], 0, 4, 1, 5);
  const four high = __builtin_shufflevector(k[0], k[1], 2, 6, 3, 7);
  const four high_next = __builtin_shufflevector(k[2], k[3], 2, 6, 3, 7);
  k[0] = __builtin_shufflevector(low, low_next, 0, 1, 4, 5);
  k[1] = __builtin_shufflevector(low, low_next, 2, 3, 6, 7);
  k[2] = __builtin_shufflevector(high, high_next, 0, 1, 4, 5);
  k[3] = __builtin_shufflevector(high, high_next, 2, 3, 6, 7);
  ET_UNROLL for (int i = 0; i < 4; i++) {
    memcpy(to + i * ET_CPU_PANEL, &k[i], sizeof(four));
  }
}

/* Packs elements `first` to `depth - 1` of four keys. Only `count` of them exist; the others become
 * zeros. */
static void pack_some(const et_cpu_sdpa *a, const float *from, size_t stride,
                      size_t count, size_t first, float *to) {
  for (size_t n = 0; n < 4; n++) {
    for (size_t d = first; d < a->depth; d++) {
      to[d * ET_CPU_PANEL + n] =
          n < count ? from[n * stride + d] * a->scale : 0.0f;
    }
  }
}

static void pack_keys(const et_cpu_sdpa *a, const float *from, size_t stride,
                      const block *b) {
  for (size_t n = 0; n < whole_panels(b->count); n += 4) {
    float *to =
        b->keys + n / ET_CPU_PANEL * ET_CPU_PANEL * a->depth + n % ET_CPU_PANEL;
    const float *keys = from + n * stride;
    const size_t count = n < b->count ? et_min_size(b->count - n, 4) : 0;
    size_t d = 0;
    for (; count == 4 && d + 4 <= a->depth; d += 4) {
      pack_four(keys + d, stride, a->scale, to + d * ET_CPU_PANEL);
    }
    pack_some(a, keys, stride, count, d, to);
  }
}

ET_INLINE void pack_value(const float *from, size_t some, float *to) {
  if (some == ET_CPU_PANEL) {
    memcpy(to, from, ET_CPU_PANEL * sizeof(float));
  } else {
    memset(to + some, 0, (ET_CPU_PANEL - some) * sizeof(float));
    memcpy(to, from, some * sizeof(float));
  }
}

static void pack_values(const et_cpu_sdpa *a, const float *from, size_t stride,
                        const block *b) {
  float *to = b->values;
  for (size_t c = 0; c < a->width; c += ET_CPU_PANEL) {
    const size_t some = et_min_size(ET_CPU_PANEL, a->width - c);
    for (size_t n = 0; n < b->count; n++, to += ET_CPU_PANEL) {
      pack_value(from + n * stride + c, some, to);
    }
  }
}

/* Returns the number of keys of the block that query `row` attends to if the mask is ignored. */
static size_t visible(const et_cpu_sdpa *a, const block *b, size_t row) {
  const size_t end = a->causal ? a->position + row + 1 : b->first + b->count;
  return end < b->first ? 0 : et_min_size(end - b->first, b->count);
}

/* Returns the number of leading keys of the block that include all keys the queries attend to. It
 * is at least 1 for the first block, which initializes the results. */
static size_t columns_of(const et_cpu_sdpa *a, const block *b,
                         const queries *q) {
  const size_t max = visible(a, b, q->first + q->count - 1);
  size_t seen = b->first == 0 && max > 0 ? 1 : 0;
  if (a->mask == NULL) {
    return max;
  }
  for (size_t r = a->mask_row == 0 ? 1 : q->count; r-- > 0;) {
    const float *mask =
        a->mask + q->head * a->mask_head + (q->first + r) * a->mask_row;
    seen = et_seen_by_row(mask + b->first, max, seen);
  }
  return seen;
}

static void score(const et_cpu_sdpa *a, const block *b, const queries *q) {
  static const float zeros[ET_CPU_SDPA_KEYS];
  static const et_cpu_activation none = {ET_CPU_ACTIVATION_FUNCTION_NONE, 0.0f,
                                         0.0f};
  et_tiles tiles = {
      .x = a->q + q->first * a->q_stride + q->head * a->depth,
      .x_stride = a->q_stride,
      .segments = 1,
      .depth = a->depth,
      .panels = b->keys,
      .panel_stride = a->depth * ET_CPU_PANEL,
      .start = zeros,
      .out = b->scores,
      .out_stride = b->stride,
      .activation = &none,
  };
  size_t columns = whole_panels(q->columns);
  if (a->mask != NULL) {
    tiles.residual =
        a->mask + q->head * a->mask_head + q->first * a->mask_row + b->first;
    tiles.residual_stride = a->mask_row;
    tiles.last = true;
    columns = q->columns;
  }
  ET_CPU_NAME(et_cpu_tiles)(&tiles, q->count, columns);
}

static void add_values(const et_cpu_sdpa *a, const block *b, const queries *q,
                       float *out) {
  const et_tiles tiles = {
      .x = b->scores,
      .x_stride = b->stride,
      .segments = 1,
      .depth = q->columns,
      .panels = b->values,
      .panel_stride = b->count * ET_CPU_PANEL,
      .out = out,
      .out_stride = a->heads * a->width,
  };
  ET_CPU_NAME(et_cpu_tiles)(&tiles, q->count, a->width);
}

/* One query and its scores. */
typedef struct row {
  et_attention_sum sum;
  float *scores;
  size_t seen; /* visible keys */
} row;

static row row_of(const et_cpu_sdpa *a, const block *b, const queries *q,
                  size_t r) {
  const size_t at = ((q->first + r) * a->heads + q->head) * a->width;
  const size_t seen = et_min_size(visible(a, b, q->first + r), q->columns);
  return (row){{q->maxima + r, q->sums + r, a->out + at, a->width},
               b->scores + r * b->stride,
               seen};
}

/* Computes the maxima of all rows before any weights. The weights of a row depend on its maximum.
 * Computing both per row would stall, because out-of-order execution reaches only one row ahead. */
ET_NOINLINE void raise(const et_cpu_sdpa *a, const block *b, const queries *q) {
  for (size_t r = 0; r < q->count; r++) {
    const row each = row_of(a, b, q, r);
    et_attention_raise(&each.sum, b->first == 0, each.scores, each.seen);
  }
}

ET_NOINLINE void weigh(const et_cpu_sdpa *a, const block *b, const queries *q) {
  for (size_t r = 0; r < q->count; r++) {
    const row each = row_of(a, b, q, r);
    et_attention_weigh(&each.sum, each.scores, each.seen);
  }
}

/* Clears the weights of keys that some queries do not attend to. This is not part of weigh(), whose
 * loop keeps its constants in registers only if it contains no calls. */
static void clear(const et_cpu_sdpa *a, const block *b, const queries *q) {
  for (size_t r = 0; r < q->count; r++) {
    const row each = row_of(a, b, q, r);
    memset(each.scores + each.seen, 0,
           (q->columns - each.seen) * sizeof(float));
  }
}

static void attend(const et_cpu_sdpa *a, const block *b, const queries *q) {
  const size_t out_stride = a->heads * a->width;
  float *out = a->out + q->first * out_stride + q->head * a->width;
  if (b->first == 0) {
    for (size_t r = 0; r < q->count; r++) {
      memset(out + r * out_stride, 0, a->width * sizeof(float));
    }
  }
  score(a, b, q);
  raise(a, b, q);
  weigh(a, b, q);
  if (a->causal) {
    clear(a, b, q);
  }
  add_values(a, b, q, out);
}

/* Returns the maximum number of queries of a block. It is smaller if each query attends to a
 * different number of keys, because all queries of a block are computed with the keys of the last
 * query. */
static size_t max_queries(const et_cpu_sdpa *a, const block *b) {
  const size_t capacity = ET_CPU_SDPA_SCORES / b->stride;
  const bool is_divergent = a->causal || a->mask_row != 0;
  return is_divergent ? et_min_size(capacity, MAX_DIVERGENT_QUERIES) : capacity;
}

/* Processes the queries of one head in blocks of similar size. */
static void attend_head(const et_cpu_sdpa *a, const block *b, size_t head,
                        size_t offset) {
  const size_t max = max_queries(a, b);
  const size_t blocks = (a->queries + max - 1) / max;
  const size_t size = (a->queries + blocks - 1) / blocks;
  for (size_t i = 0; i < a->queries; i += size) {
    queries q = {.head = head,
                 .first = i,
                 .count = et_min_size(size, a->queries - i),
                 .maxima = b->maxima + offset + i,
                 .sums = b->sums + offset + i};
    q.columns = columns_of(a, b, &q);
    if (q.columns > 0) {
      attend(a, b, &q);
    }
  }
}

static void divide_head(const et_cpu_sdpa *a, const block *b, size_t head,
                        size_t offset) {
  for (size_t i = 0; i < a->queries; i++) {
    const et_attention_sum sum = {b->maxima + offset + i, b->sums + offset + i,
                                  a->out + (i * a->heads + head) * a->width,
                                  a->width};
    et_attention_divide(&sum);
  }
}

static block begin(const et_cpu_sdpa *a, size_t rows, float *workspace) {
  block b = {.keys = workspace};
  b.values = b.keys + ET_CPU_SDPA_KEYS * a->depth;
  b.scores = b.values + ET_CPU_SDPA_KEYS * whole_panels(a->width);
  b.maxima = b.scores + ET_CPU_SDPA_SCORES;
  b.sums = b.maxima + rows;
  for (size_t i = 0; i < rows; i++) {
    b.maxima[i] = -__builtin_inff();
    b.sums[i] = 0.0f;
  }
  return b;
}

void ET_CPU_NAME(et_cpu_sdpa_f32)(const et_cpu_sdpa *attention, size_t group,
                                  float *workspace) {
  const et_cpu_sdpa *a = attention;
  const size_t heads = a->heads / a->groups;
  const size_t keys = et_seen_keys(a, group);
  const size_t rows = heads * a->queries;
  float *widened =
      workspace + (size_t)et_cpu_sdpa_floats(rows, a->depth, a->width);
  block b = begin(a, rows, workspace);
  for (; b.first < keys; b.first += ET_CPU_SDPA_KEYS) {
    b.count = et_min_size(ET_CPU_SDPA_KEYS, keys - b.first);
    b.stride = whole_panels(b.count);
    const et_attention_keys from =
        et_attention_block(a, group, b.first, b.count, widened);
    pack_keys(a, from.keys, from.k_stride, &b);
    pack_values(a, from.values, from.v_stride, &b);
    for (size_t h = 0; h < heads; h++) {
      attend_head(a, &b, group * heads + h, h * a->queries);
    }
  }
  for (size_t h = 0; h < heads; h++) {
    divide_head(a, &b, group * heads + h, h * a->queries);
  }
}
