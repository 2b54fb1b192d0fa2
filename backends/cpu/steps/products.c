#include "backends/cpu/steps/products.h"

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"

enum { X, PANELS, BIAS, RESIDUAL, INPUTS };

static const et_cpu_tensor *output(const et_cpu_step *step) {
  return step->tensors[step->input_count];
}

et_status et_cpu_check_rows(const et_cpu_step *step, size_t output,
                            et_error *error) {
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = step->tensors[output];
  int64_t sizes[ET_CPU_MAX_RANK];
  ET_CPU_CHECK(error, x->rank >= 1, "%s: tensor 0 has no dims",
               step->kind->name);
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, X, ET_SCALAR_TYPE_FLOAT32, x->rank, error));
  for (uint8_t i = 0; i < x->rank; i++) {
    sizes[i] = x->sizes[i];
  }
  if (y->rank == x->rank) {
    sizes[x->rank - 1] = y->sizes[x->rank - 1];
  }
  return et_cpu_check_sizes(step, output, ET_SCALAR_TYPE_FLOAT32, x->rank,
                            sizes, error);
}

et_status et_cpu_product_check_rows(const et_cpu_step *step,
                                    uint16_t workspaces, uint16_t attributes,
                                    et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = INPUTS - 1,
      .inputs_most = INPUTS,
      .outputs = 1,
      .workspaces = workspaces,
      .attributes = (uint16_t)(ET_CPU_ACTIVATION_WORDS + attributes)};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(step, 0, error));
  ET_RETURN_IF_ERROR(et_cpu_check_rows(step, step->input_count, error));
  return step->input_count == INPUTS
             ? et_cpu_check_same(step, RESIDUAL, step->input_count, error)
             : ET_STATUS_OK;
}

et_status et_cpu_product_check(const et_cpu_step *step, et_scalar_type weights,
                               et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_product_check_rows(step, 0, 0, error));
  const et_cpu_tensor *x = step->tensors[X];
  const int64_t columns = output(step)->sizes[x->rank - 1];
  const int64_t panels = (columns + 15) / 16;
  const int64_t packed[3] = {panels, x->sizes[x->rank - 1], 16};
  ET_RETURN_IF_ERROR(
      et_cpu_check_sizes(step, PANELS, weights, 3, packed, error));
  return et_cpu_check_numel(step, BIAS, ET_SCALAR_TYPE_FLOAT32, panels * 16,
                            error);
}

et_cpu_product et_cpu_product_read(const et_cpu_step *step) {
  const et_cpu_tensor *x = step->tensors[X];
  return (et_cpu_product){.x = x->data,
                          .bias = step->tensors[BIAS]->data,
                          .residual = step->input_count == INPUTS
                                          ? step->tensors[RESIDUAL]->data
                                          : NULL,
                          .out = output(step)->data,
                          .depth = (size_t)x->sizes[x->rank - 1],
                          .columns = (size_t)output(step)->sizes[x->rank - 1],
                          .activation = et_cpu_read_activation(step, 0)};
}

const et_cpu_tensor *et_cpu_product_panels(const et_cpu_step *step) {
  return step->tensors[PANELS];
}

et_cpu_blocks et_cpu_product_blocks(const et_cpu_step *step,
                                    const et_cpu_run *run, size_t most) {
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = output(step);
  const size_t depth = (size_t)x->sizes[x->rank - 1];
  const size_t columns = (size_t)y->sizes[y->rank - 1];
  const size_t rows = columns == 0 ? 0 : y->numel / columns;
  return et_cpu_share_product(rows, columns, depth, most, et_cpu_threads(run));
}
