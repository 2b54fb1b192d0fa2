/* Op sdpa_f32: softmax(scale * q k^T + mask) v. Heads lie side by side in the
 * rows of q, k and v, from an offset on: all may be parts of one tensor. */
#include "backends/cpu/microkernels/sdpa.h"

#include "backends/cpu/ops/activation.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"

static et_cpu_sdpa_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_sdpa_f32);
static et_cpu_sdpa_f32_function *const few_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_sdpa_few_queries_f32);

#define F32 ET_SCALAR_TYPE_FLOAT32

enum { Q, K, V, MASK, INPUTS };
enum {
  HEADS,
  GROUPS, /* of heads that share keys and values */
  DEPTH,
  Q_OFFSET,
  K_OFFSET,
  V_OFFSET,
  CAUSAL,
  SCALE,
  WORDS
};

static const et_cpu_tensor *output(const et_cpu_op *op) {
  return op->tensors[op->input_count];
}

static const et_cpu_tensor *workspace(const et_cpu_op *op) {
  return op->tensors[op->input_count + 1];
}

static int64_t width_of(const et_cpu_op *op) {
  return output(op)->sizes[2] / et_cpu_attribute(op, HEADS);
}

static et_status check_words(const et_cpu_op *op, et_error *error) {
  const int64_t most = INT32_MAX;
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, HEADS, 1, 65536, error));
  const int64_t heads = et_cpu_attribute(op, HEADS);
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, GROUPS, 1, heads, error));
  ET_CPU_CHECK(error, heads % et_cpu_attribute(op, GROUPS) == 0,
               "sdpa_f32: %d heads in %d groups", (int)heads,
               (int)et_cpu_attribute(op, GROUPS));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, DEPTH, 1, 65536, error));
  for (size_t i = Q_OFFSET; i <= V_OFFSET; i++) {
    ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, i, 0, most, error));
  }
  return et_cpu_check_attribute(op, CAUSAL, 0, 1, error);
}

/* How heads lie: side by side in rows [B, rows, ...], or each in rows of its own
 * [B, heads, rows, size], as caches may. */
typedef struct layout {
  int32_t rows;
  int32_t row;    /* elements */
  size_t head;    /* elements from one head of `size` to the next */
  size_t a_batch; /* elements */
} layout;

static layout layout_of(const et_cpu_tensor *x, size_t size) {
  const int32_t *sizes = x->sizes + (x->rank - 2);
  const size_t floats = (size_t)sizes[0] * (size_t)sizes[1];
  const size_t planes = x->rank == 4 ? (size_t)x->sizes[1] : 1;
  const layout l = {sizes[0], sizes[1], x->rank == 4 ? floats : size,
                    planes * floats};
  return l;
}

/* That `heads` heads of `size` floats fit the rows of tensor `index`, of which
 * there are as many as tensor `other` has. */
static et_status check_rows(const et_cpu_op *op, size_t index, size_t other,
                            int64_t heads, int64_t size, et_error *error) {
  const et_cpu_tensor *x = op->tensors[index];
  const et_cpu_tensor *like = op->tensors[other];
  const layout l = layout_of(x, 0);
  const layout expected = layout_of(like, 0);
  ET_CPU_CHECK(error, x->sizes[0] == like->sizes[0] && l.rows == expected.rows,
               "sdpa_f32: tensor %zu is [%d, %d, ...], expected [%d, %d, ...]",
               index, (int)x->sizes[0], (int)l.rows, (int)like->sizes[0],
               (int)expected.rows);
  ET_CPU_CHECK(error, x->rank == 3 || x->sizes[1] == heads,
               "sdpa_f32: tensor %zu has %d heads, expected %d", index,
               (int)x->sizes[1], (int)heads);
  const int64_t offset =
      index < MASK ? et_cpu_attribute(op, Q_OFFSET + index) : 0;
  const int64_t needed = x->rank == 3 ? heads * size : size;
  ET_CPU_CHECK(error, offset + needed <= l.row,
               "sdpa_f32: %d heads of %d from %d on in rows of %d, tensor %zu",
               (int)heads, (int)size, (int)offset, (int)l.row, index);
  return ET_STATUS_OK;
}

/* What keys and values are of: floats, or both of one kind of halves. */
static et_scalar_type keys_dtype(const et_cpu_op *op) {
  const et_scalar_type dtype = (et_scalar_type)op->tensors[K]->dtype;
  const bool is_half =
      dtype == ET_SCALAR_TYPE_FLOAT16 || dtype == ET_SCALAR_TYPE_BFLOAT16;
  return is_half ? dtype : F32;
}

/* Keys and values may lie in either way. */
static et_status check_ranks(const et_cpu_op *op, et_error *error) {
  const size_t y = op->input_count;
  const et_scalar_type dtype = keys_dtype(op);
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, Q, F32, 3, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, y, F32, 3, error));
  for (size_t i = K; i <= V; i++) {
    const uint8_t rank = op->tensors[i]->rank == 4 ? 4 : 3;
    ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, i, dtype, rank, error));
  }
  return ET_STATUS_OK;
}

static et_status check_mask(const et_cpu_op *op, et_error *error) {
  if (op->input_count < INPUTS) {
    return ET_STATUS_OK;
  }
  const int32_t *sizes = op->tensors[MASK]->sizes;
  const int32_t full[4] = {
      op->tensors[Q]->sizes[0], (int32_t)et_cpu_attribute(op, HEADS),
      op->tensors[Q]->sizes[1], layout_of(op->tensors[K], 0).rows};
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(op, MASK, F32, 4, error));
  for (size_t i = 0; i < 4; i++) {
    ET_CPU_CHECK(error, sizes[i] == full[i] || (sizes[i] == 1 && i < 3),
                 "sdpa_f32: tensor 3, dim %zu is %d, expected %d", i,
                 (int)sizes[i], (int)full[i]);
  }
  return ET_STATUS_OK;
}

/* Queries of all heads of a group. */
static size_t queries_of(const et_cpu_op *op) {
  return (size_t)op->tensors[Q]->sizes[1] *
         (size_t)(et_cpu_attribute(op, HEADS) / et_cpu_attribute(op, GROUPS));
}

static et_status check_workspace(const et_cpu_op *op, et_error *error) {
  const size_t depth = op->attributes[DEPTH];
  const size_t width = (size_t)width_of(op);
  const size_t room_of_halves =
      keys_dtype(op) == F32 ? 0 : et_cpu_sdpa_room(depth, width);
  const size_t floats =
      et_cpu_sdpa_floats(queries_of(op), depth, width) + room_of_halves;
  const et_cpu_tensor *room = workspace(op);
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(op, op->input_count + 1u, F32, 2, error));
  ET_CPU_CHECK(error, room->sizes[0] >= 1 && (size_t)room->sizes[1] >= floats,
               "sdpa_f32: workspace is [%d, %d], expected [1, %zu] at least",
               (int)room->sizes[0], (int)room->sizes[1], floats);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = MASK,
                                .inputs_most = INPUTS,
                                .outputs = 1,
                                .workspaces = 1,
                                .dims = 1,
                                .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(check_words(op, error));
  const int64_t heads = et_cpu_attribute(op, HEADS);
  const int64_t groups = et_cpu_attribute(op, GROUPS);
  const int64_t depth = et_cpu_attribute(op, DEPTH);
  ET_RETURN_IF_ERROR(check_ranks(op, error));
  ET_RETURN_IF_ERROR(check_rows(op, Q, Q, heads, depth, error));
  ET_RETURN_IF_ERROR(check_rows(op, op->input_count, Q, heads, 0, error));
  const int64_t width = width_of(op);
  ET_CPU_CHECK(error, width >= 1 && width * heads == output(op)->sizes[2],
               "sdpa_f32: rows of %d for %d heads", (int)output(op)->sizes[2],
               (int)heads);
  ET_RETURN_IF_ERROR(check_rows(op, V, K, groups, width, error));
  ET_RETURN_IF_ERROR(check_rows(op, K, V, groups, depth, error));
  ET_CPU_CHECK(error, op->tensors[K]->sizes[0] == op->tensors[Q]->sizes[0],
               "sdpa_f32: queries of %d batches, keys of %d",
               (int)op->tensors[Q]->sizes[0], (int)op->tensors[K]->sizes[0]);
  ET_RETURN_IF_ERROR(check_mask(op, error));
  return check_workspace(op, error);
}

/* Groups of heads of all batches, a run of them to each chunk. */
typedef struct work {
  const et_cpu_op *op;
  et_cpu_sdpa_f32_function *function;
  size_t groups;
  size_t units;
  size_t chunks;
} work;

static const void *rows_of(const et_cpu_tensor *x, size_t batch,
                           uint32_t offset) {
  return (const char *)x->data + (batch * layout_of(x, 0).a_batch + offset) *
                                     et_scalar_type_size((int32_t)x->dtype);
}

static uint8_t half_of(const et_cpu_op *op) {
  switch (keys_dtype(op)) {
    case ET_SCALAR_TYPE_FLOAT16:
      return ET_CPU_FLOAT_HALF;
    case ET_SCALAR_TYPE_BFLOAT16:
      return ET_CPU_BFLOAT_HALF;
    default:
      return ET_CPU_NO_HALF;
  }
}

static void set_mask(const et_cpu_op *op, size_t batch, et_cpu_sdpa *a) {
  if (op->input_count < INPUTS) {
    return;
  }
  const et_cpu_tensor *mask = op->tensors[MASK];
  const size_t rows = (size_t)mask->sizes[2] * (size_t)mask->sizes[3];
  a->mask_row = mask->sizes[2] == 1 ? 0 : (size_t)mask->sizes[3];
  a->mask_head = mask->sizes[1] == 1 ? 0 : rows;
  const size_t own = mask->sizes[0] == 1 ? 0 : batch;
  a->mask = (const float *)mask->data + own * (size_t)mask->sizes[1] * rows;
}

static et_cpu_sdpa batch_of(const et_cpu_op *op, size_t batch) {
  const uint32_t *words = op->attributes;
  const et_cpu_tensor *q = op->tensors[Q];
  const et_cpu_tensor *k = op->tensors[K];
  const et_cpu_tensor *v = op->tensors[V];
  const et_cpu_tensor *out = output(op);
  const layout keys = layout_of(k, words[DEPTH]);
  const layout values = layout_of(v, (size_t)width_of(op));
  et_cpu_sdpa a = {
      .q = rows_of(q, batch, words[Q_OFFSET]),
      .k = rows_of(k, batch, words[K_OFFSET]),
      .v = rows_of(v, batch, words[V_OFFSET]),
      .out = (float *)out->data + out->numel / (size_t)out->sizes[0] * batch,
      .queries = (size_t)q->sizes[1],
      .keys = (size_t)keys.rows,
      .heads = words[HEADS],
      .groups = words[GROUPS],
      .depth = words[DEPTH],
      .width = (size_t)width_of(op),
      .q_stride = (size_t)q->sizes[2],
      .k_stride = (size_t)keys.row,
      .v_stride = (size_t)values.row,
      .k_group = keys.head,
      .v_group = values.head,
      .position = (size_t)*op->dims[0],
      .scale = et_cpu_read_float(op, SCALE),
      .half = half_of(op),
      .causal = words[CAUSAL] != 0};
  set_mask(op, batch, &a);
  return a;
}

/* Each chunk has a row of the workspace for itself. */
static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const et_cpu_tensor *room = workspace(w->op);
  float *floats = (float *)room->data + index * (size_t)room->sizes[1];
  const size_t end = (index + 1) * w->units / w->chunks;
  for (size_t i = index * w->units / w->chunks; i < end; i++) {
    const et_cpu_sdpa a = batch_of(w->op, i / w->groups);
    w->function(&a, i % w->groups, floats);
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  if (output(op)->numel == 0) {
    return;
  }
  const bool are_few = queries_of(op) <= ET_CPU_SDPA_FEW_QUERIES;
  work w = {.op = op,
            .function = (are_few ? few_variants : variants)[run->isa],
            .groups = op->attributes[GROUPS]};
  w.units = (size_t)output(op)->sizes[0] * w.groups;
  const size_t slots = (size_t)workspace(op)->sizes[0];
  w.chunks = slots < w.units ? slots : w.units;
  et_cpu_for_each(run, w.chunks, run_chunk, &w);
}

static const et_cpu_op_type op_type = {"sdpa_f32", check, run, 0, NULL};
const et_backend_part et_cpu_op_sdpa_f32 = {ET_CPU_OP_SDPA_F32, &op_type};
