/* Op masked_scatter: replaces the elements that a mask selects with the first elements of a source,
 * in order. */
#include "backends/cpu/schema/masked_scatter.h"

#include <string.h>

#include "backends/cpu/ops/check.h"

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_masked_scatter_args args = et_cpu_masked_scatter_args_of(op);
  const et_cpu_tensor *x = args.x;
  ET_RETURN_IF_ERROR(
      et_cpu_check_elements(op, args.mask, (int64_t)x->numel, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_dtype(op, args.source, (et_scalar_type)x->dtype, error));
  return et_cpu_check_alike(op, args.y, x, error);
}

static size_t count_selected(const et_cpu_tensor *mask) {
  const uint8_t *data = mask->data;
  size_t selected = 0;
  for (size_t i = 0; i < mask->numel; i++) {
    selected += data[i] != 0;
  }
  return selected;
}

/* Consecutive selected elements are copied together. */
static void scatter(const et_cpu_masked_scatter_args *args) {
  const uint8_t *mask = args->mask->data;
  const size_t count = args->mask->numel;
  const size_t bytes = et_scalar_type_size((et_scalar_type)args->x->dtype);
  const char *from = args->source->data;
  char *to = args->y->data;
  for (size_t i = 0; i < count;) {
    size_t end = i;
    while (end < count && mask[end] != 0) {
      end++;
    }
    if (end > i) {
      memcpy(to + i * bytes, from, (end - i) * bytes);
      from += (end - i) * bytes;
    }
    i = end + 1;
  }
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_masked_scatter_args args = et_cpu_masked_scatter_args_of(op);
  const et_cpu_tensor *x = args.x;
  const et_cpu_tensor *y = args.y;
  const size_t selected = count_selected(args.mask);
  if (selected > args.source->numel) {
    ET_CPU_FAIL(
        run,
        "masked_scatter: the mask selects %zu elements, but the source has "
        "%zu",
        selected, args.source->numel);
    return;
  }
  if (y->data != x->data && y->bytes > 0) {
    memcpy(y->data, x->data, y->bytes);
  }
  scatter(&args);
}

static const et_cpu_op_type op_type = {&et_cpu_masked_scatter_schema, check,
                                       run};
const et_backend_part et_cpu_op_masked_scatter = {ET_CPU_OP_MASKED_SCATTER,
                                                  &op_type};
