#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/line.h"
#include "executorch/kernels/shape.h"
#include "kernels/quantized/quantize.h"

enum { INPUT, SCALE, ZERO_POINT, OPERANDS };

static void choose(const et_lines *lines, uint8_t *const *at,
                   const void *state) {
  et_range range = {0.0f, 0.0f};
  (void)state;
  for (size_t start = 0; start < lines->lengths[INPUT]; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t rest = lines->lengths[INPUT] - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_load_run(ET_COMPUTE_FLOAT32, lines->dtypes[INPUT],
                at[INPUT] + (ptrdiff_t)start * lines->strides[INPUT],
                lines->strides[INPUT], n, &chunk);
    et_range_take(&range, chunk.float32, n);
  }
  const et_range_parameters chosen =
      et_range_asymmetric(&range, INT8_MIN, INT8_MAX);
  et_store_run(ET_COMPUTE_FLOAT64, &chosen.scale, lines->dtypes[SCALE],
               at[SCALE], 0, 1);
  et_store_run(ET_COMPUTE_INT64, &chosen.zero_point, lines->dtypes[ZERO_POINT],
               at[ZERO_POINT], 0, 1);
}

et_status et_op_choose_qparams_per_token_asymmetric_out(
    et_kernel_context *context, et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  int32_t sizes[ET_MAX_RANK];
  et_view views[OPERANDS];
  ET_CHECK(context, args[1]->u.as_int == ET_SCALAR_TYPE_INT8,
           "choose_qparams_per_token_asymmetric: dtype %lld is not int8",
           (long long)args[1]->u.as_int);
  ET_RETURN_IF_ERROR(et_shape_rank(
      context, "choose_qparams_per_token_asymmetric", input, 1, ET_MAX_RANK));
  const size_t last = (size_t)input->rank - 1;
  for (size_t d = 0; d < last; d++) {
    sizes[d] = input->sizes[d];
  }
  sizes[last] = 1;
  views[INPUT] = et_view_of(input);
  for (size_t k = SCALE; k < OPERANDS; k++) {
    et_tensor *out = args[1 + k]->u.as_tensor;
    ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, last + 1, context->error));
    views[k] = et_view_of(out);
  }
  et_lines_run(views, OPERANDS, last, choose, NULL);
  return ET_STATUS_OK;
}
