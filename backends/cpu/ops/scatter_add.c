/* Op scatter_add: adds elements of a source to the elements of x that indices
 * select. */
#include "backends/cpu/schema/scatter_add.h"

#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"

/* Number of adjacent columns per chunk. */
#define COLUMNS 64

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_scatter_add_args args = et_cpu_scatter_add_args_of(op);
  const int32_t *x = args.x->sizes;
  const int64_t sizes[3] = {x[0], args.index->sizes[1], x[2]};
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.index, 3, sizes, error));
  ET_RETURN_IF_ERROR(et_cpu_check_shape(op, args.source, 3, sizes, error));
  return et_cpu_check_alike(op, args.y, args.x, error);
}

/* Processes one block of columns of one outer index. Each element of y is in one block, so its
 * sum does not depend on the number of threads. */
static void run_columns(void *data, size_t chunk) {
  const et_cpu_scatter_add_args *args = data;
  const size_t rows = (size_t)args->x->sizes[1];
  const size_t count = (size_t)args->index->sizes[1];
  const size_t columns = (size_t)args->x->sizes[2];
  const size_t blocks = et_cpu_parts(columns, COLUMNS);
  const size_t outer = chunk / blocks;
  const size_t first = chunk % blocks * COLUMNS;
  const size_t end = first + et_cpu_part(columns, COLUMNS, chunk % blocks);
  const float *source = args->source->data;
  float *y = (float *)args->y->data + outer * rows * columns;
  for (size_t s = outer * count; s < (outer + 1) * count; s++) {
    for (size_t c = first; c < end; c++) {
      const size_t at = s * columns + c;
      const size_t row = (size_t)et_cpu_index_at(args->index, at);
      y[row * columns + c] += source[at];
    }
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  et_cpu_scatter_add_args args = et_cpu_scatter_add_args_of(op);
  const int32_t *sizes = args.x->sizes;
  if (!et_cpu_indices_fit(op, run, args.index, sizes[1])) {
    return;
  }
  if (args.y->bytes > 0) {
    memcpy(args.y->data, args.x->data, args.y->bytes);
  }
  et_cpu_for_each(run,
                  (size_t)sizes[0] * et_cpu_parts((size_t)sizes[2], COLUMNS),
                  run_columns, &args);
}

static const et_cpu_op_type op_type = {&et_cpu_scatter_add_schema, check, run};
const et_backend_part et_cpu_op_scatter_add = {ET_CPU_OP_SCATTER_ADD, &op_type};
