/* SDPA of one group, with few queries (sdpa.h).
 *
 * Keys and values are read in place, once for every three queries. For each block of up to
 * ET_CPU_SDPA_KEYS keys:
 *   scores = scale * q @ k^T + mask    tile: 3 queries by 2 keys, DOT_LANES accumulators each
 *   weights = e^(scores - max)         online softmax (sdpa_sum.h)
 *   out += weights @ v                 tile: 3 queries by WIDE_VECTORS vectors of a value
 * Blocks of 16-bit rows have WIDENED_KEYS keys. The scales of int8 keys multiply the scores, and the
 * scales of int8 values the weights. The bandwidth of the KV cache is the bottleneck, so keys and
 * values are prefetched. */
#ifndef BACKENDS_CPU_MICROKERNELS_SDPA_FEW_QUERIES_H_
#define BACKENDS_CPU_MICROKERNELS_SDPA_FEW_QUERIES_H_

#include "backends/cpu/microkernels/reduce_lanes.h"
#include "backends/cpu/microkernels/sdpa.h"
#include "backends/cpu/microkernels/sdpa_keys.h"
#include "backends/cpu/microkernels/sdpa_sum.h"
#include "runtime/core/arithmetic.h"

/* A file that includes this header defines ET_SDPA_INT8, because the dtype of the rows must be a
 * compile-time constant in all functions. */
#if ET_SDPA_INT8
typedef int8_t et_kv;

ET_INLINE et_f32 et_kv_load(const et_kv *from) {
  return et_f32_of_i32(et_i32_of_int8((const uint8_t *)from, true));
}

ET_INLINE et_f32 et_kv_load_some(const et_kv *from, size_t count) {
  et_kv some[ET_CPU_LANES] = {0};
  memcpy(some, from, count);
  return et_kv_load(some);
}
#else
typedef float et_kv;

ET_INLINE et_f32 et_kv_load(const et_kv *from) { return et_f32_load(from); }

ET_INLINE et_f32 et_kv_load_some(const et_kv *from, size_t count) {
  return et_f32_load_some(from, count);
}
#endif

/* Number of queries that share each loaded key and value. Their accumulators fill the registers. */
#define MAX_QUERIES 3
/* Number of accumulators for the dot product of a query and a key. It is the same on every
 * instruction set. */
#define DOT_LANES 16
#define DOT_VECTORS (DOT_LANES / ET_CPU_LANES)
/* Number of values per block. A block stays in the L1 cache for all column pieces. */
#define VALUES 32
/* Number of vectors per column piece. With AVX-512, one piece covers a width of 64. */
#if defined(ET_CPU_ISA_AVX512)
#define WIDE_VECTORS 4
#else
#define WIDE_VECTORS ET_ROW_VECTORS
#endif
#define WIDE_LANES (WIDE_VECTORS * ET_CPU_LANES)
/* Number of keys per block of 16-bit rows. The widened rows stay in the L1 or L2 cache. */
#define WIDENED_KEYS 64
/* Prefetch distance in elements. It is long because the KV cache is read from main memory. */
#define PREFETCH_ELEMENTS 1536

/* Keys and values of a block. The strides between rows are in elements. Scales are NULL for float32
 * rows. */
typedef struct kv_block {
  const et_kv *keys;
  const et_kv *values;
  const float *k_scales;
  const float *v_scales;
  size_t k_stride;
  size_t v_stride;
} kv_block;

/* Up to three queries of a group, and a block of keys. */
typedef struct rows {
  const float *q[MAX_QUERIES];
  /* Each starts at the first key of the block, or is NULL. */
  const float *mask[MAX_QUERIES];
  float *scores[MAX_QUERIES];
  float *out[MAX_QUERIES];
  size_t seen[MAX_QUERIES]; /* visible keys of the block, per query */
  kv_block block;
  size_t columns;       /* number of keys of the block to process */
  size_t prefetch_rows; /* prefetch distance in rows */
  const et_kv *next;    /* keys after the block */
} rows;

/* Returns the row to prefetch while key `n` is read. It is a key, or a value once all keys are
 * prefetched. */
ET_INLINE const et_kv *after_key(const rows *r, size_t n) {
  const size_t at = n + r->prefetch_rows;
  return at < r->columns
             ? r->block.keys + at * r->block.k_stride
             : r->block.values + (at - r->columns) * r->block.v_stride;
}

/* Returns the row to prefetch while value `n` is read. It is a value, or one of the next keys once
 * all values are prefetched. */
ET_INLINE const et_kv *after_value(const rows *r, size_t n) {
  const size_t at = n + r->prefetch_rows;
  return at < r->columns ? r->block.values + at * r->block.v_stride
                         : r->next + (at - r->columns) * r->block.k_stride;
}

/* Adds the products of two keys and each query over DOT_LANES elements, or over `left` elements at
 * the end of a row. */
ET_INLINE void add_products(const rows *r, const et_kv *const *keys, size_t at,
                            size_t left, bool whole, int count,
                            et_f32 sums[2][MAX_QUERIES][DOT_VECTORS]) {
  ET_UNROLL for (int v = 0; v < DOT_VECTORS; v++, at += ET_CPU_LANES) {
    const size_t some = whole ? ET_CPU_LANES : et_min_size(left, ET_CPU_LANES);
    et_f32 key[2];
    ET_UNROLL for (int k = 0; k < 2; k++) {
      key[k] = whole ? et_kv_load(keys[k] + at)
                     : et_kv_load_some(keys[k] + at, some);
    }
    ET_UNROLL for (int i = 0; i < count; i++) {
      const et_f32 query = whole ? et_f32_load(r->q[i] + at)
                                 : et_f32_load_some(r->q[i] + at, some);
      ET_UNROLL for (int k = 0; k < 2; k++) {
        sums[k][i][v] = et_f32_fma(query, key[k], sums[k][i][v]);
      }
    }
    left -= some;
  }
}

/* Computes the dot products of two keys and each query, each reduced to one vector. */
ET_INLINE void multiply_two(const rows *r, const et_kv *const *keys,
                            const et_kv *const *ahead, size_t depth, int count,
                            et_f32 products[2][MAX_QUERIES]) {
  et_f32 sums[2][MAX_QUERIES][DOT_VECTORS];
  ET_UNROLL for (int k = 0; k < 2; k++) {
    ET_UNROLL for (int i = 0; i < count; i++) {
      ET_UNROLL for (int v = 0; v < DOT_VECTORS; v++) {
        sums[k][i][v] = et_f32_all(0.0f);
      }
    }
  }
  size_t at = 0;
  for (; at + DOT_LANES <= depth; at += DOT_LANES) {
    et_prefetch_near(ahead[0] + at);
    et_prefetch_near(ahead[1] + at);
    add_products(r, keys, at, DOT_LANES, true, count, sums);
  }
  if (at < depth) {
    add_products(r, keys, at, depth - at, false, count, sums);
  }
  ET_UNROLL for (int k = 0; k < 2; k++) {
    ET_UNROLL for (int i = 0; i < count; i++) {
      ET_UNROLL for (int half = DOT_VECTORS / 2; half > 0; half /= 2) {
        ET_UNROLL for (int v = 0; v < half; v++) {
          sums[k][i][v] += sums[k][i][v + half];
        }
      }
      products[k][i] = sums[k][i][0];
    }
  }
}

/* Returns whether the mask is -infinity for `count` keys, starting at `first`, for all queries. */
static bool is_hidden(const rows *r, size_t first, size_t count, int queries) {
  for (int i = 0; i < queries && r->mask[i] != NULL; i++) {
    for (size_t n = first; n < first + count; n++) {
      if (r->mask[i][n] != -__builtin_inff()) {
        return false;
      }
    }
  }
  return r->mask[0] != NULL;
}

/* Computes the scores of `count` keys, at most a vector, starting at `first`. Scores of masked keys
 * are -infinity, even if a key contains NaN. */
ET_INLINE void score_keys(const et_cpu_sdpa *a, const rows *r, size_t first,
                          size_t count, int queries) {
  et_f32 products[MAX_QUERIES][ET_CPU_LANES];
  for (size_t n = 0; n < ET_CPU_LANES; n += 2) {
    et_f32 two[2][MAX_QUERIES];
    const et_kv *keys[2];
    const et_kv *ahead[2];
    for (size_t k = 0; k < 2; k++) {
      const size_t row = first + et_min_size(n + k, count - 1);
      keys[k] = r->block.keys + row * r->block.k_stride;
      ahead[k] = after_key(r, row);
    }
    multiply_two(r, keys, ahead, a->depth, queries, two);
    ET_UNROLL for (int i = 0; i < queries; i++) {
      products[i][n] = two[0][i];
      products[i][n + 1] = two[1][i];
    }
  }
  ET_UNROLL for (int i = 0; i < queries; i++) {
    et_f32 scores = et_fold(products[i]) * et_f32_all(a->scale);
    if (ET_SDPA_INT8) {
      scores *= et_f32_load_some(r->block.k_scales + first, count);
    }
    if (r->mask[i] != NULL) {
      const et_f32 mask = et_f32_load_some(r->mask[i] + first, count);
      const et_i32 hidden = mask == et_f32_all(-__builtin_inff());
      scores = et_f32_select(hidden, mask, scores + mask);
    }
    et_f32_store(r->scores[i] + first, scores);
  }
}

ET_INLINE void score(const et_cpu_sdpa *a, const rows *r, int queries) {
  const et_f32 hidden = et_f32_all(-__builtin_inff());
  for (size_t n = 0; n < r->columns; n += ET_CPU_LANES) {
    const size_t count = et_min_size(r->columns - n, ET_CPU_LANES);
    if (is_hidden(r, n, count, queries)) {
      for (int i = 0; i < queries; i++) {
        et_f32_store(r->scores[i] + n, hidden);
      }
    } else {
      score_keys(a, r, n, count, queries);
    }
  }
}

ET_INLINE bool is_weightless(const rows *r, size_t key, int queries) {
  ET_UNROLL for (int i = 0; i < queries; i++) {
    if (r->scores[i][key] != 0.0f) {
      return false;
    }
  }
  return true;
}

/* A rectangle of the values: rows `first` to `first + count - 1`, and columns that start at `at`.
 * It is several whole vectors wide, or `some` lanes of one vector. */
typedef struct piece {
  size_t first;
  size_t count;
  size_t at;
  size_t some;
  size_t width; /* elements of a value */
} piece;

ET_INLINE et_f32 load_value(const piece *p, const et_kv *row, int v) {
  const et_kv *from = row + p->at + v * ET_CPU_LANES;
  return p->some == ET_CPU_LANES ? et_kv_load(from)
                                 : et_kv_load_some(from, p->some);
}

ET_INLINE et_f32 load_output(const piece *p, const float *row, int v) {
  const float *from = row + p->at + v * ET_CPU_LANES;
  return p->some == ET_CPU_LANES ? et_f32_load(from)
                                 : et_f32_load_some(from, p->some);
}

/* Prefetches `vectors` vectors of a row. */
ET_INLINE void prefetch_columns(const et_kv *row, int vectors) {
  const int lanes = vectors * ET_CPU_LANES;
  ET_UNROLL for (int i = 0; i < lanes; i += 16) { et_prefetch_near(row + i); }
}

/* Adds weighted values to the output. Values with weight 0 are not read. */
ET_INLINE void add_piece(const rows *r, const piece *p, int vectors,
                         int queries) {
  const bool is_prefetched = p->at + WIDE_LANES < p->width;
  et_f32 sums[MAX_QUERIES][WIDE_VECTORS];
  ET_UNROLL for (int i = 0; i < queries; i++) {
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      sums[i][v] = load_output(p, r->out[i], v);
    }
  }
  for (size_t n = p->first; n < p->first + p->count; n++) {
    if (is_weightless(r, n, queries)) {
      continue;
    }
    const et_kv *row = r->block.values + n * r->block.v_stride;
    prefetch_columns(after_value(r, n) + p->at, vectors);
    /* Prefetches the next piece, because hardware prefetches whole rows only. */
    if (is_prefetched) {
      prefetch_columns(row + p->at + vectors * ET_CPU_LANES, vectors);
    }
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      const et_f32 value = load_value(p, row, v);
      ET_UNROLL for (int i = 0; i < queries; i++) {
        const et_f32 weight = et_f32_all(r->scores[i][n]);
        sums[i][v] = et_f32_fma(weight, value, sums[i][v]);
      }
    }
  }
  ET_UNROLL for (int i = 0; i < queries; i++) {
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      float *to = r->out[i] + p->at + v * ET_CPU_LANES;
      et_f32_store_some(to, sums[i][v], p->some);
    }
  }
}

ET_INLINE void add_values(const et_cpu_sdpa *a, const rows *r, int queries) {
  for (size_t n = 0; n < r->columns; n += VALUES) {
    piece p = {n, et_min_size(r->columns - n, VALUES), 0, ET_CPU_LANES,
               a->width};
    for (; p.at + WIDE_LANES <= a->width; p.at += WIDE_LANES) {
      add_piece(r, &p, WIDE_VECTORS, queries);
    }
#if defined(ET_CPU_ISA_AVX512)
    for (; p.at + ET_ROW_LANES <= a->width; p.at += ET_ROW_LANES) {
      add_piece(r, &p, ET_ROW_VECTORS, queries);
    }
#endif
    for (; p.at < a->width; p.at += ET_CPU_LANES) {
      p.some = et_min_size(a->width - p.at, ET_CPU_LANES);
      add_piece(r, &p, 1, queries);
    }
  }
}

/* State of a group. Each row has one query for each head of the group. */
typedef struct group {
  const et_cpu_sdpa *a;
  size_t index;
  size_t heads;
  float *scores; /* [query][ET_CPU_SDPA_KEYS] */
  float *maxima;
  float *sums;
} group;

static et_attention_sum sum_of(const group *g, size_t query) {
  const size_t head = g->index * g->heads + query / g->a->queries;
  const size_t row = query % g->a->queries;
  return (et_attention_sum){
      g->maxima + query, g->sums + query,
      g->a->out + (row * g->a->heads + head) * g->a->width, g->a->width};
}

/* Assigns query `index` of the group to element `i` of the rows. */
static void add_query(const group *g, size_t index, size_t first, size_t count,
                      rows *r, size_t i) {
  const et_cpu_sdpa *a = g->a;
  const size_t head = g->index * g->heads + index / a->queries;
  const size_t row = index % a->queries;
  const size_t end = a->causal ? a->position + row + 1 : first + count;
  r->q[i] = a->q + row * a->q_stride + head * a->depth;
  r->mask[i] = a->mask == NULL
                   ? NULL
                   : a->mask + head * a->mask_head + row * a->mask_row + first;
  r->scores[i] = g->scores + index * ET_CPU_SDPA_KEYS;
  r->out[i] = sum_of(g, index).out;
  r->seen[i] = end < first ? 0 : et_min_size(end - first, count);
  if (r->columns < r->seen[i]) {
    r->columns = r->seen[i];
  }
}

ET_NOINLINE void weigh(const et_attention_sum *sum, bool is_first,
                       float *scores, size_t seen, size_t columns) {
  et_attention_raise(sum, is_first, scores, seen);
  et_attention_weigh(sum, scores, seen);
  memset(scores + seen, 0, (columns - seen) * sizeof(float));
}

/* Multiplies weights by the scales of int8 values. Weights 0 stay 0, even if a scale is NaN. */
static void scale_weights(const rows *r, float *weights) {
  for (size_t n = 0; n < r->columns; n += ET_CPU_LANES) {
    const size_t count = et_min_size(r->columns - n, ET_CPU_LANES);
    const et_f32 weight = et_f32_load_some(weights + n, count);
    const et_f32 scale = et_f32_load_some(r->block.v_scales + n, count);
    const et_i32 is_zero = weight == et_f32_all(0.0f);
    et_f32_store_some(weights + n,
                      et_f32_select(is_zero, weight, weight * scale), count);
  }
}

/* `queries` is a compile-time constant at each call site. */
ET_INLINE void attend(const group *g, const rows *r, size_t query, size_t first,
                      int queries) {
  score(g->a, r, queries);
  for (int i = 0; i < queries; i++) {
    const et_attention_sum sum = sum_of(g, query + (size_t)i);
    weigh(&sum, first == 0, r->scores[i], r->seen[i], r->columns);
    if (ET_SDPA_INT8) {
      scale_weights(r, r->scores[i]);
    }
  }
  add_values(g->a, r, queries);
}

/* Returns keys and values `first` to `first + count - 1` of the group. 16-bit rows are widened to
 * float32 in `widened`. */
static kv_block block_at(const group *g, size_t first, size_t count,
                         float *widened) {
  const et_cpu_sdpa *a = g->a;
#if ET_SDPA_INT8
  const size_t row = g->index * a->keys + first;
  (void)count;
  (void)widened;
  return (kv_block){
      (const et_kv *)a->k + g->index * a->k_group + first * a->k_stride,
      (const et_kv *)a->v + g->index * a->v_group + first * a->v_stride,
      a->k_scales + row,
      a->v_scales + row,
      a->k_stride,
      a->v_stride};
#else
  const et_attention_keys b =
      et_attention_block(a, g->index, first, count, widened);
  return (kv_block){b.keys, b.values, NULL, NULL, b.k_stride, b.v_stride};
#endif
}

/* Returns the keys that follow a block of `count` keys. They are in the next block or group. */
static const et_kv *keys_after(const group *g, const kv_block *block,
                               size_t count) {
  const et_cpu_sdpa *a = g->a;
  const bool is_widened = !ET_SDPA_INT8 && a->kv_dtype != ET_CPU_KV_FLOAT32;
  if (count == ET_CPU_SDPA_KEYS) {
    return block->keys + count * block->k_stride;
  }
  const bool is_last = g->index + 1 == a->groups;
  return is_last || is_widened
             ? block->keys
             : (const et_kv *)a->k + (g->index + 1) * a->k_group;
}

/* Processes up to MAX_QUERIES queries, starting at `query`, for a block of `count` keys that starts
 * at `first`. */
static void attend_block(const group *g, const kv_block *block, size_t query,
                         size_t queries, size_t first, size_t count) {
  const et_cpu_sdpa *a = g->a;
  rows r = {.block = *block,
            .prefetch_rows = PREFETCH_ELEMENTS / a->depth,
            .next = keys_after(g, block, count)};
  for (size_t i = 0; i < queries; i++) {
    add_query(g, query + i, first, count, &r, i);
    if (first == 0) {
      memset(r.out[i], 0, a->width * sizeof(float));
    }
  }
  if (r.columns == 0) {
    return;
  }
  switch (queries) {
    case 1:
      attend(g, &r, query, first, 1);
      return;
    case 2:
      attend(g, &r, query, first, 2);
      return;
    default:
      attend(g, &r, query, first, 3);
  }
}

static void et_sdpa_few_queries(const et_cpu_sdpa *a, size_t index,
                                float *workspace) {
  group g = {.a = a, .index = index, .heads = a->heads / a->groups};
  const size_t queries = g.heads * a->queries;
  g.scores = workspace;
  g.maxima = g.scores + ET_CPU_SDPA_SCORES;
  g.sums = g.maxima + queries;
  for (size_t i = 0; i < queries; i++) {
    g.maxima[i] = -__builtin_inff();
    g.sums[i] = 0.0f;
  }
  const size_t keys = et_seen_keys(a, index);
  float *widened =
      workspace + (size_t)et_cpu_sdpa_floats(queries, a->depth, a->width);
  const bool is_widened = !ET_SDPA_INT8 && a->kv_dtype != ET_CPU_KV_FLOAT32;
  const size_t size = is_widened ? WIDENED_KEYS : ET_CPU_SDPA_KEYS;
  for (size_t first = 0; first < keys; first += size) {
    const size_t count = et_min_size(keys - first, size);
    const kv_block block = block_at(&g, first, count, widened);
    for (size_t q = 0; q < queries; q += MAX_QUERIES) {
      attend_block(&g, &block, q, et_min_size(queries - q, MAX_QUERIES), first,
                   count);
    }
  }
  for (size_t i = 0; i < queries; i++) {
    const et_attention_sum sum = sum_of(&g, i);
    et_attention_divide(&sum);
  }
}

#endif /* BACKENDS_CPU_MICROKERNELS_SDPA_FEW_QUERIES_H_ */
