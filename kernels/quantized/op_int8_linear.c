#include "executorch/kernels/args.h"
#include "executorch/kernels/scratch.h"
#include "executorch/kernels/shape.h"
#include "kernels/quantized/int8_arguments.h"

#define WHAT "int8 linear"

enum {
  RANGE = ET_INT8_NEXT, /* zero point, low and high */
  OUT = RANGE + 3
};

et_status et_op_quantized_bytes_linear_prepare(et_prepare_context *context,
                                               et_value *const *args,
                                               void **out_state) {
  (void)out_state;
  context->scratch_bytes =
      ET_INT8_GEMM_SCRATCH(args[ET_INT8_WEIGHT]->u.as_tensor->sizes[1]);
  return ET_STATUS_OK;
}

/* Checks the arguments, resizes out, and sets `gemm` and `params`. */
static et_status start(et_kernel_context *context, et_value **args,
                       et_int8_gemm *gemm, et_int8_params *params) {
  const et_tensor *input = args[ET_INT8_INPUT]->u.as_tensor;
  const et_tensor *weight = args[ET_INT8_WEIGHT]->u.as_tensor;
  const et_tensor *factors = args[ET_INT8_FACTORS]->u.as_tensor;
  const et_tensor *bias = et_arg_tensor(args[ET_INT8_BIAS]);
  et_tensor *out = args[OUT]->u.as_tensor;
  int32_t sizes[ET_MAX_RANK];
  const size_t last = (size_t)input->rank - 1;
  ET_CHECK(context, input->sizes[last] == weight->sizes[1],
           WHAT ": input has %d features, weight needs %d",
           (int)input->sizes[last], (int)weight->sizes[1]);
  *gemm = (et_int8_gemm){.weight = (const int8_t *)weight->data,
                         .rows = (size_t)weight->sizes[0],
                         .depth = (size_t)weight->sizes[1],
                         .factors = et_int8_floats(factors),
                         .bias = et_int8_floats(bias),
                         .row_stride = 1,
                         .column_stride = (size_t)weight->sizes[0]};
  ET_RETURN_IF_ERROR(et_int8_read_params(
      context, WHAT, input, args[ET_INT8_INPUT_ZERO_POINT], params));
  ET_RETURN_IF_ERROR(
      et_int8_read_range(context, WHAT, out, &args[RANGE], &gemm->range));
  ET_RETURN_IF_ERROR(
      et_int8_check_gemm(context, WHAT, weight, gemm->depth, factors, bias));
  for (size_t d = 0; d < last; d++) {
    sizes[d] = input->sizes[d];
  }
  sizes[last] = weight->sizes[0];
  return et_tensor_resize(out, sizes, input->rank, context->error);
}

/* Packs input rows as panel columns. */
static void pack_panel(const et_int8_gemm *gemm, et_int8_params params,
                       const uint8_t *input, size_t columns, int16_t *panel) {
  const size_t pitch = ET_INT8_GEMM_PITCH(gemm->depth);
  for (size_t c = 0; c < columns; c++, panel += pitch) {
    et_int8_center_all(params, input + c * gemm->depth, 1, gemm->depth, panel);
    for (size_t k = gemm->depth; k < pitch; k++) {
      panel[k] = 0;
    }
  }
}

et_status et_op_quantized_bytes_linear_out(et_kernel_context *context,
                                           et_value **args) {
  et_int8_gemm gemm;
  et_int8_params params;
  ET_RETURN_IF_ERROR(start(context, args, &gemm, &params));
  const et_tensor *out = args[OUT]->u.as_tensor;
  const uint8_t *input =
      (const uint8_t *)args[ET_INT8_INPUT]->u.as_tensor->data;
  const size_t rows = gemm.rows == 0 ? 0 : out->numel / gemm.rows;
  const size_t most = et_int8_gemm_columns(gemm.depth, context->scratch);
  int16_t *panel = (int16_t *)(void *)context->scratch.data;
  for (size_t row = 0; row < rows; row += most) {
    const size_t columns = rows - row < most ? rows - row : most;
    pack_panel(&gemm, params, input + row * gemm.depth, columns, panel);
    gemm.out = (uint8_t *)out->data + row * gemm.rows;
    et_int8_gemm_run(&gemm, panel, columns);
  }
  return ET_STATUS_OK;
}
