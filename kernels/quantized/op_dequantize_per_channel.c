#include "executorch/kernels/args.h"
#include "executorch/kernels/index.h"
#include "executorch/kernels/shape.h"
#include "kernels/quantized/dequantize.h"

static et_status check_parameters(et_kernel_context *context,
                                  const et_tensor *scales,
                                  const et_tensor *zero_points,
                                  int32_t channels) {
  ET_CHECK(context,
           scales->rank == 1 && scales->sizes[0] == channels &&
               et_scalar_type_is_floating(scales->dtype),
           "dequantize_per_channel: scales must be floating, with %d elements",
           (int)channels);
  ET_CHECK(context,
           zero_points == NULL ||
               (zero_points->rank == 1 && zero_points->sizes[0] == channels),
           "dequantize_per_channel: zero_points must have %d elements",
           (int)channels);
  /* Any that fit 32 bits: they are only subtracted. */
  return zero_points == NULL
             ? ET_STATUS_OK
             : et_index_check(context, "dequantize_per_channel: zero_points",
                              zero_points, INT32_MAX, true);
}

static et_quantization channel_quantization(const et_tensor *scales,
                                            const et_tensor *zero_points,
                                            size_t channel) {
  et_quantization q = {0};
  et_load_run(ET_COMPUTE_FLOAT32, scales->dtype,
              (const uint8_t *)scales->data +
                  channel * et_scalar_type_size((int32_t)scales->dtype),
              0, 1, &q.scale);
  if (zero_points != NULL) {
    const et_view view = et_view_of(zero_points);
    q.zero_point = et_index_at(&view, channel);
  }
  return q;
}

et_status et_op_dequantize_per_channel_out(et_kernel_context *context,
                                           et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  const et_tensor *scales = args[1]->u.as_tensor;
  const et_tensor *zero_points = et_arg_tensor(args[2]);
  et_tensor *out = args[8]->u.as_tensor;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_dequantize_check(context, "dequantize_per_channel",
                                         input, args[6], args[7], out));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "dequantize_per_channel: input",
                                   input, 1, ET_MAX_RANK));
  ET_RETURN_IF_ERROR(et_shape_axis(context, "dequantize_per_channel",
                                   args[3]->u.as_int, input->rank, &axis));
  ET_RETURN_IF_ERROR(
      check_parameters(context, scales, zero_points, input->sizes[axis]));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, input));
  const et_view in_view = et_view_of(input);
  const et_view out_view = et_view_of(out);
  for (int32_t c = 0; c < input->sizes[axis]; c++) {
    const et_quantization q =
        channel_quantization(scales, zero_points, (size_t)c);
    const et_view from = et_view_select(&in_view, axis, c);
    const et_view to = et_view_select(&out_view, axis, c);
    et_dequantize_view(&q, &from, &to);
  }
  return ET_STATUS_OK;
}
