/* Step embedding: rows of a table, which is used where it lies. */
#include <string.h>

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"

enum { TABLE, INDICES, Y };

/* Rows of a chunk. */
#define CHUNK 64

static et_status check_output(const et_cpu_step *step, et_error *error) {
  const et_cpu_tensor *table = step->tensors[TABLE];
  const et_cpu_tensor *indices = step->tensors[INDICES];
  int64_t sizes[ET_CPU_MAX_RANK];
  for (uint8_t i = 0; i < indices->rank; i++) {
    sizes[i] = indices->sizes[i];
  }
  sizes[indices->rank] = table->sizes[1];
  return et_cpu_check_sizes(step, Y, (et_scalar_type)table->dtype,
                            (uint8_t)(indices->rank + 1), sizes, error);
}

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = 2, .inputs_most = 2, .outputs = 1};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  const et_cpu_tensor *table = step->tensors[TABLE];
  const et_cpu_tensor *indices = step->tensors[INDICES];
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, TABLE, (et_scalar_type)table->dtype, 2, error));
  ET_CPU_CHECK(error, table->sizes[0] > 0, "embedding: the table has no rows");
  ET_CPU_CHECK(error,
               indices->dtype == ET_SCALAR_TYPE_INT64 ||
                   indices->dtype == ET_SCALAR_TYPE_INT32,
               "embedding: tensor 1 is %s, expected int64 or int32",
               et_scalar_type_name(indices->dtype));
  ET_CPU_CHECK(error, indices->rank < ET_CPU_MAX_RANK,
               "embedding: tensor 1 has %d dims, expected less than %d",
               (int)indices->rank, ET_CPU_MAX_RANK);
  return check_output(step, error);
}

static int64_t index_at(const et_cpu_tensor *indices, size_t i) {
  return indices->dtype == ET_SCALAR_TYPE_INT64
             ? ((const int64_t *)indices->data)[i]
             : ((const int32_t *)indices->data)[i];
}

/* A row that the table does not have becomes all ones in its bits, NaN in every
 * float format: a step cannot fail, and nothing else may be read. */
static void copy_row(const et_cpu_step *step, size_t i) {
  const et_cpu_tensor *table = step->tensors[TABLE];
  const size_t bytes = table->bytes / (size_t)table->sizes[0];
  const int64_t index = index_at(step->tensors[INDICES], i);
  char *to = (char *)step->tensors[Y]->data + i * bytes;
  if (index < 0 || index >= table->sizes[0]) {
    memset(to, 0xff, bytes);
    return;
  }
  memcpy(to, (const char *)table->data + (size_t)index * bytes, bytes);
}

static void run_chunk(void *data, size_t index) {
  const et_cpu_step *step = data;
  const size_t count = step->tensors[INDICES]->numel;
  const size_t first = index * CHUNK;
  for (size_t i = first; i < first + et_cpu_part(count, CHUNK, index); i++) {
    copy_row(step, i);
  }
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  et_cpu_step copy = *step;
  et_cpu_for_each(run, et_cpu_parts(step->tensors[INDICES]->numel, CHUNK),
                  run_chunk, &copy);
}

static const et_cpu_kind kind = {"embedding", check, run, 0};
const et_backend_part et_cpu_step_embedding = {ET_CPU_KIND_EMBEDDING, &kind};
