#include <math.h>
#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/scratch.h"
#include "executorch/kernels/shape.h"
#include "executorch/kernels/view.h"
#include "kernels/engines/gemm.h"

enum { BATCH, HEADS, ROWS, SIZE, RANK };

/* query [B, H, L, E], key [B, G, S, E], value [B, G, S, V], mask [B, H, L, S]
 * and out [B, H, L, V]. Each key head serves H / G query heads. */
typedef struct attention {
  et_view query;
  et_view key;
  et_view value;
  et_view mask; /* data is NULL if there is none */
  et_view out;
  bool is_causal;
  float scale;
} attention;

/* The operands of one head, as matrices. */
typedef struct head {
  et_view query;
  et_view key;
  et_view value;
  et_view mask;
  et_view out;
} head;

/* Scratch: queries, scores and results of a block, and keys and values of a
 * panel. */
typedef struct workspace {
  float *queries; /* [ET_ATTENTION_ROWS, E] */
  float *scores;  /* [ET_ATTENTION_ROWS, S] */
  float *results; /* [ET_ATTENTION_ROWS, V] */
  float *keys;    /* [E, ET_ATTENTION_KEYS] */
  float *values;  /* [ET_ATTENTION_KEYS, V] */
} workspace;

static size_t size_of(const et_view *view, size_t dim) {
  return (size_t)view->sizes[dim];
}

static workspace place_workspace(const attention *a, void *scratch) {
  const size_t depth = size_of(&a->query, SIZE);
  const size_t width = size_of(&a->value, SIZE);
  workspace w;
  w.queries = scratch;
  w.scores = w.queries + ET_ATTENTION_ROWS * depth;
  w.results = w.scores + ET_ATTENTION_ROWS * size_of(&a->key, ROWS);
  w.keys = w.results + ET_ATTENTION_ROWS * width;
  w.values = w.keys + ET_ATTENTION_KEYS * depth;
  return w;
}

static size_t element_size(const et_view *view) {
  return et_scalar_type_size((int32_t)view->dtype);
}

/* Loads row `row` of a matrix as floats. */
static void load_row(const et_view *matrix, size_t row, size_t count,
                     float *out) {
  const ptrdiff_t size = (ptrdiff_t)element_size(matrix);
  et_load_run(ET_COMPUTE_FLOAT32, matrix->dtype,
              matrix->data + (ptrdiff_t)row * matrix->strides[0] * size,
              (ptrdiff_t)matrix->strides[1] * size, count, out);
}

static void load_queries(const head *h, size_t first, size_t count, float scale,
                         float *out) {
  const size_t depth = size_of(&h->query, 1);
  for (size_t i = 0; i < count; i++) {
    load_row(&h->query, first + i, depth, out + i * depth);
  }
  for (size_t i = 0; i < count * depth; i++) {
    out[i] *= scale;
  }
}

/* Loads the keys of a panel, one per column. */
static void load_keys(const et_view *key, size_t first, size_t count,
                      float *out) {
  const ptrdiff_t size = (ptrdiff_t)element_size(key);
  for (size_t e = 0; e < size_of(key, 1); e++) {
    const ptrdiff_t offset =
        (ptrdiff_t)first * key->strides[0] + (ptrdiff_t)e * key->strides[1];
    et_load_run(ET_COMPUTE_FLOAT32, key->dtype, key->data + offset * size,
                (ptrdiff_t)key->strides[0] * size, count,
                out + e * ET_ATTENTION_KEYS);
  }
}

static void score(const head *h, size_t rows, const workspace *w) {
  const size_t keys = size_of(&h->key, 0);
  const size_t depth = size_of(&h->key, 1);
  const et_gemm_matrix queries = {w->queries, (ptrdiff_t)depth, 1};
  const et_gemm_panel panel = {w->keys, ET_ATTENTION_KEYS};
  const et_gemm_start start = {true, NULL};
  for (size_t first = 0; first < keys; first += ET_ATTENTION_KEYS) {
    const size_t left = keys - first;
    const size_t count = left < ET_ATTENTION_KEYS ? left : ET_ATTENTION_KEYS;
    load_keys(&h->key, first, count, w->keys);
    et_gemm_accumulate(rows, count, depth, &queries, &panel, start,
                       w->scores + first, keys);
  }
}

/* A boolean mask selects keys. A floating-point mask is added to the scores. */
static void mask_row(const et_view *mask, size_t row, size_t keys,
                     float *scores) {
  float chunk[ET_CHUNK];
  et_view rest = *mask;
  for (size_t first = 0; first < keys; first += ET_CHUNK) {
    const size_t left = keys - first;
    const size_t count = left < ET_CHUNK ? left : ET_CHUNK;
    rest.data = mask->data + (ptrdiff_t)first * mask->strides[1] *
                                 (ptrdiff_t)element_size(mask);
    load_row(&rest, row, count, chunk);
    for (size_t i = 0; i < count; i++) {
      const float hidden = chunk[i] != 0 ? 0 : -INFINITY;
      scores[first + i] +=
          mask->dtype == ET_SCALAR_TYPE_BOOL ? hidden : chunk[i];
    }
  }
}

/* Softmax over the first `visible` keys. A row with no visible key becomes
 * zeros. */
static void softmax_row(float *scores, size_t visible, size_t keys) {
  float largest = -INFINITY;
  double sum = 0;
  for (size_t i = 0; i < visible; i++) {
    largest = scores[i] > largest || isnan(scores[i]) ? scores[i] : largest;
  }
  for (size_t i = 0; i < visible; i++) {
    scores[i] = largest == -INFINITY ? 0 : expf(scores[i] - largest);
    sum += (double)scores[i];
  }
  const float factor = sum == 0 ? 0 : (float)(1 / sum);
  for (size_t i = 0; i < keys; i++) {
    scores[i] = i < visible ? scores[i] * factor : 0;
  }
}

static void weigh(const attention *a, const head *h, size_t first, size_t rows,
                  const workspace *w) {
  const size_t keys = size_of(&h->key, 0);
  for (size_t i = 0; i < rows; i++) {
    float *scores = w->scores + i * keys;
    const size_t position = first + i;
    const size_t visible =
        a->is_causal && position < keys ? position + 1 : keys;
    if (h->mask.data != NULL) {
      mask_row(&h->mask, position, keys, scores);
    }
    softmax_row(scores, visible, keys);
  }
}

/* Multiplies the scores by panels of values. Contiguous float32 values are used
 * in place. */
static void mix(const head *h, size_t rows, const workspace *w) {
  const size_t keys = size_of(&h->value, 0);
  const size_t width = size_of(&h->value, 1);
  const bool is_contiguous = h->value.dtype == ET_SCALAR_TYPE_FLOAT32 &&
                             h->value.strides[1] == 1 &&
                             h->value.strides[0] > 0;
  memset(w->results, 0, rows * width * sizeof(float));
  for (size_t first = 0; first < keys; first += ET_ATTENTION_KEYS) {
    const size_t left = keys - first;
    const size_t count = left < ET_ATTENTION_KEYS ? left : ET_ATTENTION_KEYS;
    const et_gemm_matrix parts = {w->scores + first, (ptrdiff_t)keys, 1};
    et_gemm_panel panel = {w->values, width};
    if (is_contiguous) {
      panel.stride = (size_t)h->value.strides[0];
      panel.data =
          (const float *)(const void *)h->value.data + first * panel.stride;
    } else {
      for (size_t i = 0; i < count; i++) {
        load_row(&h->value, first + i, width, w->values + i * width);
      }
    }
    const et_gemm_start start = {false, NULL};
    et_gemm_accumulate(rows, width, count, &parts, &panel, start, w->results,
                       width);
  }
}

static void store(const head *h, size_t first, size_t rows,
                  const float *rows_of) {
  const size_t width = size_of(&h->out, 1);
  const ptrdiff_t size = (ptrdiff_t)element_size(&h->out);
  for (size_t i = 0; i < rows; i++) {
    const ptrdiff_t offset = (ptrdiff_t)(first + i) * h->out.strides[0];
    et_store_run(ET_COMPUTE_FLOAT32, rows_of + i * width, h->out.dtype,
                 h->out.data + offset * size,
                 (ptrdiff_t)h->out.strides[1] * size, width);
  }
}

static et_view matrix_of(const et_view *view, int64_t batch, int64_t index) {
  const et_view heads = et_view_select(view, BATCH, batch);
  return et_view_select(&heads, HEADS - 1, index);
}

static head head_of(const attention *a, int64_t batch, int64_t index) {
  const int64_t shared = index / (a->query.sizes[HEADS] / a->key.sizes[HEADS]);
  head h = {.mask = a->mask};
  h.query = matrix_of(&a->query, batch, index);
  h.key = matrix_of(&a->key, batch, shared);
  h.value = matrix_of(&a->value, batch, shared);
  h.out = matrix_of(&a->out, batch, index);
  if (a->mask.data != NULL) {
    h.mask = matrix_of(&a->mask, batch, index);
  }
  return h;
}

static void attend_head(const attention *a, const head *h, const workspace *w) {
  const size_t all = size_of(&h->query, 0);
  for (size_t first = 0; first < all; first += ET_ATTENTION_ROWS) {
    const size_t left = all - first;
    const size_t rows = left < ET_ATTENTION_ROWS ? left : ET_ATTENTION_ROWS;
    load_queries(h, first, rows, a->scale, w->queries);
    score(h, rows, w);
    weigh(a, h, first, rows, w);
    mix(h, rows, w);
    store(h, first, rows, w->results);
  }
}

static void attend(const attention *a, const workspace *w) {
  for (int64_t batch = 0; batch < a->query.sizes[BATCH]; batch++) {
    for (int64_t index = 0; index < a->query.sizes[HEADS]; index++) {
      const head h = head_of(a, batch, index);
      attend_head(a, &h, w);
    }
  }
}

static et_status check_sizes(et_kernel_context *context, const et_tensor *q,
                             const et_tensor *k, const et_tensor *v) {
  ET_CHECK(
      context,
      q->sizes[BATCH] == k->sizes[BATCH] && k->sizes[BATCH] == v->sizes[BATCH],
      "scaled_dot_product: batches of %d queries, %d keys and %d values differ",
      (int)q->sizes[BATCH], (int)k->sizes[BATCH], (int)v->sizes[BATCH]);
  ET_CHECK(context,
           k->sizes[HEADS] == v->sizes[HEADS] && k->sizes[HEADS] > 0 &&
               q->sizes[HEADS] % k->sizes[HEADS] == 0,
           "scaled_dot_product: %d query heads are not a multiple of %d key "
           "heads and %d value heads",
           (int)q->sizes[HEADS], (int)k->sizes[HEADS], (int)v->sizes[HEADS]);
  ET_CHECK(context, k->sizes[ROWS] == v->sizes[ROWS],
           "scaled_dot_product: %d keys, but %d values", (int)k->sizes[ROWS],
           (int)v->sizes[ROWS]);
  ET_CHECK(context, q->sizes[SIZE] == k->sizes[SIZE],
           "scaled_dot_product: queries have %d elements, keys %d",
           (int)q->sizes[SIZE], (int)k->sizes[SIZE]);
  return ET_STATUS_OK;
}

static et_status check_mask(et_kernel_context *context, const et_tensor *mask,
                            attention *a) {
  const int32_t sizes[RANK] = {a->query.sizes[BATCH], a->query.sizes[HEADS],
                               a->query.sizes[ROWS], a->key.sizes[ROWS]};
  const et_view view = et_view_of(mask);
  ET_CHECK(context, et_view_expand(&view, sizes, RANK, &a->mask),
           "scaled_dot_product: the mask does not broadcast to [%d, %d, %d, "
           "%d]",
           (int)sizes[0], (int)sizes[1], (int)sizes[2], (int)sizes[3]);
  return ET_STATUS_OK;
}

et_status et_op_scaled_dot_product_out(et_kernel_context *context,
                                       et_value **args) {
  const et_tensor *query = args[0]->u.as_tensor;
  const et_tensor *key = args[1]->u.as_tensor;
  const et_tensor *value = args[2]->u.as_tensor;
  et_tensor *out = args[6]->u.as_tensor;
  ET_RETURN_IF_ERROR(check_sizes(context, query, key, value));
  attention a = {.query = et_view_of(query),
                 .key = et_view_of(key),
                 .value = et_view_of(value),
                 .is_causal = args[4]->u.as_bool,
                 .scale = (float)args[5]->u.as_double};
  if (args[3]->tag == ET_VALUE_TENSOR) {
    ET_RETURN_IF_ERROR(check_mask(context, args[3]->u.as_tensor, &a));
  }
  const int32_t sizes[RANK] = {query->sizes[BATCH], query->sizes[HEADS],
                               query->sizes[ROWS], value->sizes[SIZE]};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, RANK, context->error));
  a.out = et_view_of(out);
  const workspace w = place_workspace(&a, context->scratch.data);
  attend(&a, &w);
  return ET_STATUS_OK;
}

et_status et_op_scaled_dot_product_prepare(et_prepare_context *context,
                                           et_value *const *args,
                                           void **out_state) {
  const et_tensor *key = args[1]->u.as_tensor;
  const et_tensor *value = args[2]->u.as_tensor;
  (void)out_state;
  context->scratch_bytes = ET_ATTENTION_SCRATCH(
      key->sizes[ROWS], key->sizes[SIZE], value->sizes[SIZE]);
  return ET_STATUS_OK;
}
