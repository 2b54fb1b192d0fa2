/* Few queries over keys and values where they lie: each is read once for three
 * queries, and nothing is packed. */
#include "backends/cpu/microkernels/sdpa.h"

#include "backends/cpu/microkernels/reduce_lanes.h"
#include "backends/cpu/microkernels/sdpa_keys.h"
#include "backends/cpu/microkernels/sdpa_sum.h"

/* Queries that are worked on together, for which there are registers. */
#define TOGETHER 3
/* Lanes of a product of a query and a key, on every instruction set. */
#define DOT_LANES 16
#define DOT_VECTORS (DOT_LANES / ET_CPU_LANES)
/* Values that stay in the cache while their columns are gone through. */
#define VALUES 32
/* Most columns of values that are gone through at once: of 64, with AVX-512 all. */
#if defined(ET_CPU_ISA_AVX512)
#define WIDE_VECTORS 4
#else
#define WIDE_VECTORS ET_ROW_VECTORS
#endif
#define WIDE_LANES (WIDE_VECTORS * ET_CPU_LANES)
/* Floats of keys ahead that are asked for: a cache comes from memory. */
#define AHEAD 1536

/* Some queries of a group, and a block of keys. */
typedef struct rows {
  const float *q[TOGETHER];
  const float *mask[TOGETHER]; /* from the block's first key on, or NULL */
  float *scores[TOGETHER];
  float *out[TOGETHER];
  size_t seen[TOGETHER]; /* keys of the block */
  et_attention_keys block;
  size_t columns;    /* keys of the block that one of them sees */
  size_t ahead;      /* rows from one that is read to one that is asked for */
  const float *next; /* keys that are read after the block */
} rows;

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* What is asked for while key `n` is read: keys, and after the last one values. */
ET_INLINE const float *after_key(const rows *r, size_t n) {
  const size_t at = n + r->ahead;
  return at < r->columns
             ? r->block.keys + at * r->block.k_stride
             : r->block.values + (at - r->columns) * r->block.v_stride;
}

/* The same for a value: values, and after the last one the next keys. */
ET_INLINE const float *after_value(const rows *r, size_t n) {
  const size_t at = n + r->ahead;
  return at < r->columns ? r->block.values + at * r->block.v_stride
                         : r->next + (at - r->columns) * r->block.k_stride;
}

/* Adds products of `left` or DOT_LANES summands, of two keys with each query. */
ET_INLINE void add_products(const rows *r, const float *const *keys, size_t at,
                            size_t left, bool whole, int count,
                            et_f32 sums[2][TOGETHER][DOT_VECTORS]) {
  ET_UNROLL for (int v = 0; v < DOT_VECTORS; v++, at += ET_CPU_LANES) {
    const size_t some = whole ? ET_CPU_LANES : smaller(left, ET_CPU_LANES);
    et_f32 key[2];
    ET_UNROLL for (int k = 0; k < 2; k++) {
      key[k] = whole ? et_f32_load(keys[k] + at)
                     : et_f32_load_some(keys[k] + at, some);
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

/* Products of two keys with each query, folded to a vector each. */
ET_INLINE void multiply_two(const rows *r, const float *const *keys,
                            const float *const *asked, size_t depth, int count,
                            et_f32 products[2][TOGETHER]) {
  et_f32 sums[2][TOGETHER][DOT_VECTORS];
  ET_UNROLL for (int k = 0; k < 2; k++) {
    ET_UNROLL for (int i = 0; i < count; i++) {
      ET_UNROLL for (int v = 0; v < DOT_VECTORS; v++) {
        sums[k][i][v] = et_f32_all(0.0f);
      }
    }
  }
  size_t at = 0;
  for (; at + DOT_LANES <= depth; at += DOT_LANES) {
    et_prefetch_near(asked[0] + at);
    et_prefetch_near(asked[1] + at);
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

/* Whether the mask takes out `count` keys from `first` on, for all queries. */
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

/* Scores of as many keys as a vector has lanes, `count` of them from `first` on;
 * those that the mask takes out are -infinity, whatever the key. */
ET_INLINE void score_keys(const et_cpu_sdpa *a, const rows *r, size_t first,
                          size_t count, int queries) {
  et_f32 products[TOGETHER][ET_CPU_LANES];
  for (size_t n = 0; n < ET_CPU_LANES; n += 2) {
    et_f32 two[2][TOGETHER];
    const float *keys[2];
    const float *asked[2];
    for (size_t k = 0; k < 2; k++) {
      const size_t row = first + smaller(n + k, count - 1);
      keys[k] = r->block.keys + row * r->block.k_stride;
      asked[k] = after_key(r, row);
    }
    multiply_two(r, keys, asked, a->depth, queries, two);
    ET_UNROLL for (int i = 0; i < queries; i++) {
      products[i][n] = two[0][i];
      products[i][n + 1] = two[1][i];
    }
  }
  ET_UNROLL for (int i = 0; i < queries; i++) {
    et_f32 scores = et_fold(products[i]) * et_f32_all(a->scale);
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
    const size_t count = smaller(r->columns - n, ET_CPU_LANES);
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

/* Some values, `count` from `first` on, and columns of them from `at` on: whole
 * vectors, or `some` lanes of one. */
typedef struct piece {
  size_t first;
  size_t count;
  size_t at;
  size_t some;
  size_t width; /* of all columns */
} piece;

ET_INLINE et_f32 load_columns(const piece *p, const float *row, int v) {
  const float *from = row + p->at + v * ET_CPU_LANES;
  return p->some == ET_CPU_LANES ? et_f32_load(from)
                                 : et_f32_load_some(from, p->some);
}

/* Asks for `vectors` vectors of a row. */
ET_INLINE void ask_for_columns(const float *row, int vectors) {
  const int lanes = vectors * ET_CPU_LANES;
  ET_UNROLL for (int i = 0; i < lanes; i += 16) { et_prefetch_near(row + i); }
}

/* Adds values times their weights to the output; those of weight 0 are not
 * read. */
ET_INLINE void add_piece(const rows *r, const piece *p, int vectors,
                         int queries) {
  const bool is_asked = p->at + WIDE_LANES < p->width;
  et_f32 sums[TOGETHER][WIDE_VECTORS];
  ET_UNROLL for (int i = 0; i < queries; i++) {
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      sums[i][v] = load_columns(p, r->out[i], v);
    }
  }
  for (size_t n = p->first; n < p->first + p->count; n++) {
    if (is_weightless(r, n, queries)) {
      continue;
    }
    const float *row = r->block.values + n * r->block.v_stride;
    ask_for_columns(after_value(r, n) + p->at, vectors);
    if (is_asked) { /* the next piece, as processors read ahead of whole rows */
      ask_for_columns(row + p->at + vectors * ET_CPU_LANES, vectors);
    }
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      const et_f32 value = load_columns(p, row, v);
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
    piece p = {n, smaller(r->columns - n, VALUES), 0, ET_CPU_LANES, a->width};
    for (; p.at + WIDE_LANES <= a->width; p.at += WIDE_LANES) {
      add_piece(r, &p, WIDE_VECTORS, queries);
    }
#if defined(ET_CPU_ISA_AVX512)
    for (; p.at + ET_ROW_LANES <= a->width; p.at += ET_ROW_LANES) {
      add_piece(r, &p, ET_ROW_VECTORS, queries);
    }
#endif
    for (; p.at < a->width; p.at += ET_CPU_LANES) {
      p.some = smaller(a->width - p.at, ET_CPU_LANES);
      add_piece(r, &p, 1, queries);
    }
  }
}

/* Everything that a group has: a query of its own for each of its heads and each
 * row. */
typedef struct group {
  const et_cpu_sdpa *a;
  size_t index;
  size_t heads;
  float *scores; /* [query][ET_CPU_SDPA_KEYS] */
  float *most;
  float *sums;
} group;

static et_attention_sum sum_of(const group *g, size_t query) {
  const size_t head = g->index * g->heads + query / g->a->queries;
  const size_t row = query % g->a->queries;
  return (et_attention_sum){
      g->most + query, g->sums + query,
      g->a->out + (row * g->a->heads + head) * g->a->width, g->a->width};
}

/* Adds query `index` of the group, as number `i`. */
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
  r->seen[i] = end < first ? 0 : smaller(end - first, count);
  if (r->columns < r->seen[i]) {
    r->columns = r->seen[i];
  }
}

ET_APART void weigh(const et_attention_sum *sum, bool is_first, float *scores,
                    size_t seen, size_t columns) {
  et_attention_raise(sum, is_first, scores, seen);
  et_attention_weigh(sum, scores, seen);
  memset(scores + seen, 0, (columns - seen) * sizeof(float));
}

/* `queries` is a constant of each call of this. */
ET_INLINE void attend(const group *g, const rows *r, size_t query, size_t first,
                      int queries) {
  score(g->a, r, queries);
  for (int i = 0; i < queries; i++) {
    const et_attention_sum sum = sum_of(g, query + (size_t)i);
    weigh(&sum, first == 0, r->scores[i], r->seen[i], r->columns);
  }
  add_values(g->a, r, queries);
}

/* Keys that are read after a block of `count`: of the next block or of the next group. */
static const float *keys_after(const group *g, const et_attention_keys *block,
                               size_t count) {
  const et_cpu_sdpa *a = g->a;
  if (count == ET_CPU_SDPA_KEYS) {
    return block->keys + count * block->k_stride;
  }
  const bool is_last = g->index + 1 == a->groups;
  return is_last || a->half != ET_CPU_NO_HALF
             ? block->keys
             : (const float *)a->k + (g->index + 1) * a->k_group;
}

/* Up to TOGETHER queries from `query` on, and a block of `count` keys from `first`
 * on. */
static void attend_block(const group *g, const et_attention_keys *block,
                         size_t query, size_t queries, size_t first,
                         size_t count) {
  const et_cpu_sdpa *a = g->a;
  rows r = {.block = *block,
            .ahead = AHEAD / a->depth,
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

void ET_CPU_NAME(et_cpu_sdpa_few_queries_f32)(const et_cpu_sdpa *attention,
                                              size_t index, float *workspace) {
  const et_cpu_sdpa *a = attention;
  group g = {.a = a, .index = index, .heads = a->heads / a->groups};
  const size_t queries = g.heads * a->queries;
  g.scores = workspace;
  g.most = g.scores + ET_CPU_SDPA_SCORES;
  g.sums = g.most + queries;
  for (size_t i = 0; i < queries; i++) {
    g.most[i] = -__builtin_inff();
    g.sums[i] = 0.0f;
  }
  const size_t keys = et_seen_keys(a, index);
  float *room = workspace + et_cpu_sdpa_floats(queries, a->depth, a->width);
  for (size_t first = 0; first < keys; first += ET_CPU_SDPA_KEYS) {
    const size_t count = smaller(keys - first, ET_CPU_SDPA_KEYS);
    const et_attention_keys block =
        et_attention_block(a, index, first, count, room);
    for (size_t q = 0; q < queries; q += TOGETHER) {
      attend_block(&g, &block, q, smaller(queries - q, TOGETHER), first, count);
    }
  }
  for (size_t i = 0; i < queries; i++) {
    const et_attention_sum sum = sum_of(&g, i);
    et_attention_divide(&sum);
  }
}
