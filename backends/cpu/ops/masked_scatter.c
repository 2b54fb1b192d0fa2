/* Op masked_scatter: elements that a mask selects take those of a source in turn. */
#include <string.h>

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/op_codes.h"

enum { X, MASK, SOURCE, Y };

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = Y, .inputs_most = Y, .outputs = 1};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *source = op->tensors[SOURCE];
  const et_scalar_type dtype = (et_scalar_type)x->dtype;
  ET_RETURN_IF_ERROR(et_cpu_check_numel(op, MASK, ET_SCALAR_TYPE_BOOL,
                                        (int64_t)x->numel, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_numel(op, SOURCE, dtype, (int64_t)source->numel, error));
  return et_cpu_check_same(op, Y, X, error);
}

static size_t count_selected(const et_cpu_tensor *mask) {
  const uint8_t *data = mask->data;
  size_t selected = 0;
  for (size_t i = 0; i < mask->numel; i++) {
    selected += data[i] != 0;
  }
  return selected;
}

/* Copies each run of selected elements as a whole. */
static void scatter(const et_cpu_op *op) {
  const et_cpu_tensor *mask = op->tensors[MASK];
  const uint8_t *selects = mask->data;
  const size_t bytes =
      et_scalar_type_size((et_scalar_type)op->tensors[X]->dtype);
  const char *from = op->tensors[SOURCE]->data;
  char *to = op->tensors[Y]->data;
  for (size_t i = 0; i < mask->numel;) {
    size_t end = i;
    while (end < mask->numel && selects[end] != 0) {
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
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  const size_t selected = count_selected(op->tensors[MASK]);
  const size_t given = op->tensors[SOURCE]->numel;
  if (selected > given) {
    ET_CPU_FAIL(run,
                "masked_scatter: the mask selects %zu elements, the source has "
                "%zu",
                selected, given);
    return;
  }
  if (y->data != x->data && y->bytes > 0) {
    memcpy(y->data, x->data, y->bytes);
  }
  scatter(op);
}

static const et_cpu_op_type op_type = {"masked_scatter", check, run, 1, NULL};
const et_backend_part et_cpu_op_masked_scatter = {ET_CPU_OP_MASKED_SCATTER,
                                                  &op_type};
