/* Op embedding: selects rows of a table that is dense or prepacked as GEMM weights. */
#include "backends/cpu/schema/embedding.h"

#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

/* Number of rows per chunk. */
#define CHUNK 64

/* Returns whether the table is prepacked: the columns of a panel [N, 16] are 16 rows of the
 * table. */
static bool is_packed(const et_cpu_embedding_args *args) {
  return args->table->rank == 3;
}

/* Returns the number of rows of the tensor, including padding. */
static int64_t capacity_of(const et_cpu_embedding_args *args) {
  const int64_t first = args->table->sizes[0];
  return is_packed(args) ? first * ET_CPU_PANEL : first;
}

static int64_t rows_of(const et_cpu_embedding_args *args) {
  const int32_t rows = args->attributes.rows;
  return rows == 0 ? capacity_of(args) : rows;
}

static et_status check_table(const et_cpu_op *op,
                             const et_cpu_embedding_args *args,
                             et_error *error) {
  const et_cpu_tensor *table = args->table;
  if (is_packed(args)) {
    const int64_t panels[3] = {table->sizes[0], table->sizes[1], ET_CPU_PANEL};
    ET_RETURN_IF_ERROR(et_cpu_check_shape(op, table, 3, panels, error));
    if (et_scalar_type_size(table->dtype) != sizeof(uint16_t)) {
      ET_RETURN_IF_ERROR(
          et_cpu_check_dtype(op, table, ET_SCALAR_TYPE_FLOAT32, error));
    }
  }
  ET_CPU_CHECK(error, args->attributes.rows <= capacity_of(args),
               "embedding: %d rows, expected at most %lld",
               (int)args->attributes.rows, (long long)capacity_of(args));
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_embedding_args args = et_cpu_embedding_args_of(op);
  ET_RETURN_IF_ERROR(check_table(op, &args, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_dtype(op, args.y, (et_scalar_type)args.table->dtype, error));
  return et_cpu_check_gathered(op, args.y, args.indices, args.table->sizes[1],
                               error);
}

static void copy_row(const et_cpu_embedding_args *args, size_t i) {
  const et_cpu_tensor *table = args->table;
  const size_t bytes =
      (size_t)table->sizes[1] * et_scalar_type_size(table->dtype);
  const size_t index = (size_t)et_cpu_index_at(args->indices, i);
  memcpy((char *)args->y->data + i * bytes,
         (const char *)table->data + index * bytes, bytes);
}

static void unpack_float16(const uint16_t *from, uint16_t *to, size_t width) {
  for (size_t k = 0; k < width; k++) {
    to[k] = from[k * ET_CPU_PANEL];
  }
}

static void unpack_floats(const float *from, float *to, size_t width) {
  for (size_t k = 0; k < width; k++) {
    to[k] = from[k * ET_CPU_PANEL];
  }
}

static void unpack_row(const et_cpu_embedding_args *args, size_t i) {
  const et_cpu_tensor *table = args->table;
  const size_t width = (size_t)table->sizes[1];
  const size_t index = (size_t)et_cpu_index_at(args->indices, i);
  const size_t first =
      index / ET_CPU_PANEL * width * ET_CPU_PANEL + index % ET_CPU_PANEL;
  void *to = args->y->data;
  if (table->dtype == ET_SCALAR_TYPE_FLOAT32) {
    unpack_floats((const float *)table->data + first, (float *)to + i * width,
                  width);
  } else {
    unpack_float16((const uint16_t *)table->data + first,
                   (uint16_t *)to + i * width, width);
  }
}

static void run_chunk(void *data, size_t index) {
  const et_cpu_embedding_args *args = data;
  const size_t count = args->indices->numel;
  const size_t first = index * CHUNK;
  for (size_t i = first; i < first + et_cpu_part(count, CHUNK, index); i++) {
    if (is_packed(args)) {
      unpack_row(args, i);
    } else {
      copy_row(args, i);
    }
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_embedding_args args = et_cpu_embedding_args_of(op);
  if (et_cpu_indices_fit(op, run, args.indices, rows_of(&args))) {
    et_cpu_for_each(run, et_cpu_parts(args.indices->numel, CHUNK), run_chunk,
                    &args);
  }
}

static const et_cpu_op_type op_type = {&et_cpu_embedding_schema, check, run};
const et_backend_part et_cpu_op_embedding = {ET_CPU_OP_EMBEDDING, &op_type};
