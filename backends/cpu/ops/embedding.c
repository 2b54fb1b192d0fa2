/* Op embedding: rows of a table, which is used where it lies: as it is, or as
 * the panels of a product with it. */
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/indices.h"
#include "backends/cpu/ops/op_codes.h"

enum { TABLE, INDICES, Y };
enum { ROWS, WORDS };

/* Rows of a chunk. */
#define CHUNK 64

/* Elements of a row of panels [⌈rows / 16⌉, K, 16]; they lie one a panel's row. */
#define PANEL 16

static bool is_packed(const et_cpu_op *op) {
  return op->tensors[TABLE]->rank == 3;
}

/* Elements of a row. */
static size_t width_of(const et_cpu_op *op) {
  return (size_t)op->tensors[TABLE]->sizes[1];
}

/* Rows that there is room for. */
static int64_t room_of(const et_cpu_op *op) {
  const int64_t first = op->tensors[TABLE]->sizes[0];
  return is_packed(op) ? first * PANEL : first;
}

/* Rows that there are: as many as the table has, where no number is given. */
static int64_t rows_of(const et_cpu_op *op) {
  const int64_t given = et_cpu_attribute(op, ROWS);
  return given == 0 ? room_of(op) : given;
}

static et_status check_output(const et_cpu_op *op, et_error *error) {
  const et_cpu_tensor *table = op->tensors[TABLE];
  const et_cpu_tensor *indices = op->tensors[INDICES];
  int64_t sizes[ET_CPU_MAX_RANK];
  for (uint8_t i = 0; i < indices->rank; i++) {
    sizes[i] = indices->sizes[i];
  }
  sizes[indices->rank] = table->sizes[1];
  return et_cpu_check_sizes(op, Y, (et_scalar_type)table->dtype,
                            (uint8_t)(indices->rank + 1), sizes, error);
}

static et_status check_table(const et_cpu_op *op, et_error *error) {
  const et_cpu_tensor *table = op->tensors[TABLE];
  if (is_packed(op)) {
    const int64_t panels[3] = {table->sizes[0], table->sizes[1], PANEL};
    const bool is_short = et_scalar_type_size(table->dtype) == 2;
    return et_cpu_check_sizes(
        op, TABLE,
        is_short ? (et_scalar_type)table->dtype : ET_SCALAR_TYPE_FLOAT32, 3,
        panels, error);
  }
  return et_cpu_check_tensor(op, TABLE, (et_scalar_type)table->dtype, 2, error);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 2, .inputs_most = 2, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  const et_cpu_tensor *indices = op->tensors[INDICES];
  ET_RETURN_IF_ERROR(check_table(op, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, ROWS, 0, room_of(op), error));
  ET_RETURN_IF_ERROR(et_cpu_check_indices(op, INDICES, error));
  ET_CPU_CHECK(error, indices->rank < ET_CPU_MAX_RANK,
               "embedding: tensor 1 has %d dims, expected less than %d",
               (int)indices->rank, ET_CPU_MAX_RANK);
  return check_output(op, error);
}

static void copy_row(const et_cpu_op *op, size_t i) {
  const et_cpu_tensor *table = op->tensors[TABLE];
  const size_t bytes = width_of(op) * et_scalar_type_size(table->dtype);
  const size_t index = (size_t)et_cpu_index_at(op->tensors[INDICES], i);
  memcpy((char *)op->tensors[Y]->data + i * bytes,
         (const char *)table->data + index * bytes, bytes);
}

static void unpack_halves(const uint16_t *from, uint16_t *to, size_t width) {
  for (size_t k = 0; k < width; k++) {
    to[k] = from[k * PANEL];
  }
}

static void unpack_floats(const float *from, float *to, size_t width) {
  for (size_t k = 0; k < width; k++) {
    to[k] = from[k * PANEL];
  }
}

static void unpack_row(const et_cpu_op *op, size_t i) {
  const et_cpu_tensor *table = op->tensors[TABLE];
  const size_t width = width_of(op);
  const size_t index = (size_t)et_cpu_index_at(op->tensors[INDICES], i);
  const size_t first = index / PANEL * width * PANEL + index % PANEL;
  void *to = op->tensors[Y]->data;
  if (table->dtype == ET_SCALAR_TYPE_FLOAT32) {
    unpack_floats((const float *)table->data + first, (float *)to + i * width,
                  width);
  } else {
    unpack_halves((const uint16_t *)table->data + first,
                  (uint16_t *)to + i * width, width);
  }
}

static void run_chunk(void *data, size_t index) {
  const et_cpu_op *op = data;
  const size_t count = op->tensors[INDICES]->numel;
  const size_t first = index * CHUNK;
  for (size_t i = first; i < first + et_cpu_part(count, CHUNK, index); i++) {
    if (is_packed(op)) {
      unpack_row(op, i);
    } else {
      copy_row(op, i);
    }
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *indices = op->tensors[INDICES];
  et_cpu_op copy = *op;
  if (et_cpu_indices_fit(op, run, indices, rows_of(op))) {
    et_cpu_for_each(run, et_cpu_parts(indices->numel, CHUNK), run_chunk, &copy);
  }
}

static const et_cpu_op_type op_type = {"embedding", check, run, 0, NULL};
const et_backend_part et_cpu_op_embedding = {ET_CPU_OP_EMBEDDING, &op_type};
