#include "backends/cpu/ops/gemms.h"

#include "backends/cpu/ops/check.h"

et_status et_cpu_gemm_check_rows(const et_cpu_op *op,
                                 const et_cpu_gemm_f32_args *args,
                                 et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_same_rows(op, args->y, args->x, error));
  return args->residual != NULL
             ? et_cpu_check_alike(op, args->residual, args->y, error)
             : ET_STATUS_OK;
}

static size_t last_size(const et_cpu_tensor *tensor) {
  return (size_t)tensor->sizes[tensor->rank - 1];
}

et_status et_cpu_gemm_check(const et_cpu_op *op,
                            const et_cpu_gemm_f32_args *args, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_gemm_check_rows(op, args, error));
  return et_cpu_check_panels(op, args->weights, args->bias,
                             (int64_t)last_size(args->x),
                             (int64_t)last_size(args->y), error);
}

et_cpu_gemm et_cpu_gemm_of(const et_cpu_gemm_f32_args *args) {
  return (et_cpu_gemm){.x = args->x->data,
                       .bias = args->bias->data,
                       .residual =
                           args->residual != NULL ? args->residual->data : NULL,
                       .out = args->y->data,
                       .depth = last_size(args->x),
                       .columns = last_size(args->y),
                       .activation = args->attributes.activation};
}

et_cpu_blocks et_cpu_gemm_blocks(const et_cpu_gemm_f32_args *args,
                                 const et_cpu_run *run, size_t max_rows) {
  const size_t columns = last_size(args->y);
  const size_t rows = columns == 0 ? 0 : args->y->numel / columns;
  return et_cpu_share_gemm(rows, columns, last_size(args->x), max_rows,
                           et_cpu_threads(run));
}
