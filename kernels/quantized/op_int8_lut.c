#include "executorch/kernels/args.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/shape.h"
#include "kernels/quantized/int8_arguments.h"

/* Number of 8-bit values. */
#define QUANTIZED 256

/* `flip` is 128 for int8, because the table starts with the smallest value. */
static void map_line(const uint8_t *table, uint8_t flip, const et_loop *loop) {
  uint8_t *out = loop->at[0];
  const uint8_t *in = loop->at[1];
  for (size_t i = 0; i < loop->count; i++) {
    *out = table[*in ^ flip];
    out += loop->strides[0];
    in += loop->strides[1];
  }
}

et_status et_op_quantized_bytes_table_out(et_kernel_context *context,
                                          et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  const et_tensor *table = args[1]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  const uint8_t flip = input->dtype == ET_SCALAR_TYPE_INT8 ? 128 : 0;
  ET_CHECK(context, table->numel == QUANTIZED,
           "int8 lut: the table must have %d elements, not %zu", QUANTIZED,
           table->numel);
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, input));
  const et_view views[2] = {et_view_of(out), et_view_of(input)};
  for (et_loop loop = et_loop_over(views, 2); loop.count > 0;
       et_loop_next(&loop)) {
    map_line((const uint8_t *)table->data, flip, &loop);
  }
  return ET_STATUS_OK;
}
