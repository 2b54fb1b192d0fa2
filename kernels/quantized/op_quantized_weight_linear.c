#include "executorch/kernels/args.h"
#include "kernels/quantized/low_bit.h"

et_status et_op_quantized_weight_linear_out(et_kernel_context *context,
                                            et_value **args) {
  et_low_bit_linear linear;
  ET_RETURN_IF_ERROR(
      et_low_bit_linear_read(context, "low-bit linear", args,
                             ET_LOW_BIT_ZERO_POINTS, et_arg_tensor(args[4]),
                             args[5]->u.as_int, args[6]->u.as_tensor, &linear));
  et_low_bit_linear_run(&linear);
  return ET_STATUS_OK;
}
