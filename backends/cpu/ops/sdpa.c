#include "backends/cpu/ops/sdpa.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

static et_cpu_sdpa_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_sdpa_f32);

static const char *name_of(const et_cpu_op *op) {
  return op->type->schema->name;
}

static int32_t width_of(const et_cpu_sdpa_args *args) {
  return args->y->sizes[2] / args->attributes.heads;
}

/* Layout of heads: adjacent in rows, [B, rows, heads * size], or separate, [B, heads, rows,
 * size]. */
typedef struct layout {
  int32_t rows;
  int32_t row_size;
  size_t head_stride; /* distance between heads of `size` elements */
  size_t batch_stride;
} layout;

static layout layout_of(const et_cpu_tensor *x, size_t size) {
  const int32_t *sizes = x->sizes + (x->rank - 2);
  const size_t elements = (size_t)sizes[0] * (size_t)sizes[1];
  const size_t heads = x->rank == 4 ? (size_t)x->sizes[1] : 1;
  return (layout){sizes[0], sizes[1], x->rank == 4 ? elements : size,
                  heads * elements};
}

/* Heads in the rows of a tensor. */
typedef struct head_rows {
  const et_cpu_tensor *tensor;
  int64_t heads;
  int64_t size;
  int64_t offset; /* offset of the first head in a row */
} head_rows;

/* Checks that rows contain the expected heads, and that the tensor has the same batch size and
 * number of rows as `other`. */
static et_status check_rows(const et_cpu_op *op, head_rows expected,
                            const et_cpu_tensor *other, et_error *error) {
  const et_cpu_tensor *x = expected.tensor;
  const size_t index = et_cpu_tensor_index(op, x);
  const layout l = layout_of(x, 0);
  const int32_t rows = layout_of(other, 0).rows;
  ET_CPU_CHECK(error, x->sizes[0] == other->sizes[0] && l.rows == rows,
               "%s: tensor %zu is [%d, %d, ...], expected [%d, %d, ...]",
               name_of(op), index, (int)x->sizes[0], (int)l.rows,
               (int)other->sizes[0], (int)rows);
  ET_CPU_CHECK(error, x->rank == 3 || x->sizes[1] == expected.heads,
               "%s: tensor %zu has %d heads, expected %d", name_of(op), index,
               (int)x->sizes[1], (int)expected.heads);
  const int64_t needed =
      x->rank == 3 ? expected.heads * expected.size : expected.size;
  ET_CPU_CHECK(error, expected.offset + needed <= l.row_size,
               "%s: tensor %zu has rows of %d elements, too few for %lld "
               "elements at offset %d",
               name_of(op), index, (int)l.row_size, (long long)needed,
               (int)expected.offset);
  return ET_STATUS_OK;
}

static et_status check_heads(const et_cpu_op *op, const et_cpu_sdpa_args *args,
                             et_error *error) {
  const et_cpu_sdpa_f32_attributes *a = &args->attributes;
  const int32_t *y = args->y->sizes;
  const head_rows queries = {args->q, a->heads, a->depth, a->offsets[0]};
  const head_rows results = {args->y, a->heads, 0, 0};
  ET_CPU_CHECK(error, a->heads % a->groups == 0,
               "%s: %d heads cannot be split evenly into %d groups",
               name_of(op), (int)a->heads, (int)a->groups);
  ET_RETURN_IF_ERROR(check_rows(op, queries, args->q, error));
  ET_RETURN_IF_ERROR(check_rows(op, results, args->q, error));
  const int32_t width = width_of(args);
  ET_CPU_CHECK(error, width >= 1 && width * a->heads == y[2],
               "%s: rows of %d elements cannot be split evenly into %d heads",
               name_of(op), (int)y[2], (int)a->heads);
  const head_rows keys = {args->k, a->groups, a->depth, a->offsets[1]};
  const head_rows values = {args->v, a->groups, width, a->offsets[2]};
  ET_RETURN_IF_ERROR(check_rows(op, values, args->k, error));
  ET_RETURN_IF_ERROR(check_rows(op, keys, args->v, error));
  ET_CPU_CHECK(error, args->k->sizes[0] == args->q->sizes[0],
               "%s: queries have batch size %d, but keys have %d", name_of(op),
               (int)args->q->sizes[0], (int)args->k->sizes[0]);
  return ET_STATUS_OK;
}

static et_status check_mask(const et_cpu_op *op, const et_cpu_sdpa_args *args,
                            et_error *error) {
  if (args->mask == NULL) {
    return ET_STATUS_OK;
  }
  const int32_t *sizes = args->mask->sizes;
  const int32_t full[4] = {args->q->sizes[0], args->attributes.heads,
                           args->q->sizes[1], layout_of(args->k, 0).rows};
  for (size_t i = 0; i < 4; i++) {
    const bool may_be_one = i < 3;
    ET_CPU_CHECK(error, sizes[i] == full[i] || (may_be_one && sizes[i] == 1),
                 "%s: tensor %zu, dim %zu is %d, expected %d%s", name_of(op),
                 et_cpu_tensor_index(op, args->mask), i, (int)sizes[i],
                 (int)full[i], may_be_one ? " or 1" : "");
  }
  return ET_STATUS_OK;
}

/* Returns the number of queries, over all heads of a group. */
static size_t queries_of(const et_cpu_sdpa_args *args) {
  const et_cpu_sdpa_f32_attributes *a = &args->attributes;
  return (size_t)args->q->sizes[1] * (size_t)(a->heads / a->groups);
}

static et_status check_workspace(const et_cpu_op *op,
                                 const et_cpu_sdpa_args *args,
                                 et_error *error) {
  const size_t depth = (size_t)args->attributes.depth;
  const size_t width = (size_t)width_of(args);
  const int32_t *workspace = args->workspace->sizes;
  const uint64_t widened = args->k->dtype == ET_SCALAR_TYPE_FLOAT32
                               ? 0
                               : et_cpu_sdpa_widened_floats(depth, width);
  const uint64_t floats =
      et_cpu_sdpa_floats(queries_of(args), depth, width) + widened;
  ET_CPU_CHECK(error, workspace[0] >= 1 && (uint64_t)workspace[1] >= floats,
               "%s: workspace is [%d, %d], expected at least [1, %llu]",
               name_of(op), (int)workspace[0], (int)workspace[1],
               (unsigned long long)floats);
  return ET_STATUS_OK;
}

/* Checks that each row of int8 keys and values has a scale. */
static et_status check_scales(const et_cpu_op *op, const et_cpu_sdpa_args *args,
                              et_error *error) {
  const int32_t *sizes = args->k->sizes;
  const int64_t rows[3] = {sizes[0], sizes[1], sizes[2]};
  if (args->k_scales == NULL) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args->k_scales, 3, rows, error));
  return et_cpu_check_shape(op, args->v_scales, 3, rows, error);
}

et_status et_cpu_sdpa_check(const et_cpu_op *op, const et_cpu_sdpa_args *args,
                            et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_check_dtype(op, args->v, (et_scalar_type)args->k->dtype, error));
  ET_RETURN_IF_ERROR(check_heads(op, args, error));
  ET_RETURN_IF_ERROR(check_scales(op, args, error));
  ET_RETURN_IF_ERROR(check_mask(op, args, error));
  return check_workspace(op, args, error);
}

/* Each chunk has consecutive groups of heads, counted over all batches. */
typedef struct work {
  et_cpu_sdpa_args args;
  et_cpu_sdpa_f32_function *function;
  size_t groups;
  size_t units;
  size_t chunks;
} work;

static const void *rows_of(const et_cpu_tensor *x, size_t batch,
                           int32_t offset) {
  return (const char *)x->data +
         (batch * layout_of(x, 0).batch_stride + (size_t)offset) *
             et_scalar_type_size((int32_t)x->dtype);
}

static uint8_t kv_dtype_of(const et_cpu_tensor *keys) {
  switch (keys->dtype) {
    case ET_SCALAR_TYPE_FLOAT16:
      return ET_CPU_KV_FLOAT16;
    case ET_SCALAR_TYPE_BFLOAT16:
      return ET_CPU_KV_BFLOAT16;
    case ET_SCALAR_TYPE_INT8:
      return ET_CPU_KV_INT8;
    default:
      return ET_CPU_KV_FLOAT32;
  }
}

/* Returns the scales of a batch, or NULL if there are none. */
static const float *scales_of(const et_cpu_tensor *scales, size_t batch) {
  return scales == NULL ? NULL
                        : (const float *)scales->data +
                              scales->numel / (size_t)scales->sizes[0] * batch;
}

static void set_mask(const et_cpu_tensor *mask, size_t batch, et_cpu_sdpa *a) {
  if (mask == NULL) {
    return;
  }
  const size_t rows = (size_t)mask->sizes[2] * (size_t)mask->sizes[3];
  a->mask_row = mask->sizes[2] == 1 ? 0 : (size_t)mask->sizes[3];
  a->mask_head = mask->sizes[1] == 1 ? 0 : rows;
  const size_t index = mask->sizes[0] == 1 ? 0 : batch;
  a->mask = (const float *)mask->data + index * (size_t)mask->sizes[1] * rows;
}

static et_cpu_sdpa batch_of(const et_cpu_sdpa_args *args, size_t batch) {
  const et_cpu_sdpa_f32_attributes *attributes = &args->attributes;
  const et_cpu_tensor *y = args->y;
  const size_t depth = (size_t)attributes->depth;
  const size_t width = (size_t)width_of(args);
  const layout keys = layout_of(args->k, depth);
  const layout values = layout_of(args->v, width);
  et_cpu_sdpa a = {
      .q = rows_of(args->q, batch, attributes->offsets[0]),
      .k = rows_of(args->k, batch, attributes->offsets[1]),
      .v = rows_of(args->v, batch, attributes->offsets[2]),
      .out = (float *)y->data + y->numel / (size_t)y->sizes[0] * batch,
      .queries = (size_t)args->q->sizes[1],
      .keys = (size_t)keys.rows,
      .heads = (size_t)attributes->heads,
      .groups = (size_t)attributes->groups,
      .depth = depth,
      .width = width,
      .q_stride = (size_t)args->q->sizes[2],
      .k_stride = (size_t)keys.row_size,
      .v_stride = (size_t)values.row_size,
      .k_group = keys.head_stride,
      .v_group = values.head_stride,
      .position = (size_t)*args->position,
      .scale = attributes->scale,
      .k_scales = scales_of(args->k_scales, batch),
      .v_scales = scales_of(args->v_scales, batch),
      .kv_dtype = kv_dtype_of(args->k),
      .causal = attributes->causal};
  set_mask(args->mask, batch, &a);
  return a;
}

/* Each chunk has its own row of the workspace. */
static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const et_cpu_tensor *workspace = w->args.workspace;
  float *floats =
      (float *)workspace->data + index * (size_t)workspace->sizes[1];
  const size_t end = et_first_of_part(w->units, index + 1, w->chunks);
  for (size_t i = et_first_of_part(w->units, index, w->chunks); i < end; i++) {
    const et_cpu_sdpa a = batch_of(&w->args, i / w->groups);
    w->function(&a, i % w->groups, floats);
  }
}

void et_cpu_sdpa_run(const et_cpu_sdpa_args *args,
                     et_cpu_sdpa_f32_function *const *few_variants,
                     const et_cpu_run *run) {
  work w = {.args = *args};
  const et_cpu_tensor *y = args->y;
  if (y->numel == 0) {
    return;
  }
  const bool are_few = queries_of(args) <= ET_CPU_SDPA_FEW_QUERIES;
  w.function = (are_few ? few_variants : variants)[run->isa];
  w.groups = (size_t)args->attributes.groups;
  w.units = (size_t)y->sizes[0] * w.groups;
  const size_t slots = (size_t)args->workspace->sizes[0];
  w.chunks = slots < w.units ? slots : w.units;
  et_cpu_for_each(run, w.chunks, run_chunk, &w);
}
