#include "executorch/kernels/args.h"
#include "kernels/quantized/low_bit.h"

et_status et_op_mixed_linear_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[5]->u.as_tensor;
  et_low_bit_linear linear;
  ET_CHECK(context,
           et_arg_int_or(args[4], (int64_t)out->dtype) == (int64_t)out->dtype,
           "mixed_linear: out has dtype %s; it must match the dtype argument",
           et_scalar_type_name((int32_t)out->dtype));
  ET_RETURN_IF_ERROR(et_low_bit_linear_read(context, "mixed_linear", args,
                                            ET_LOW_BIT_ZERO_POINTS, NULL, 8,
                                            out, &linear));
  et_low_bit_linear_run(&linear);
  return ET_STATUS_OK;
}
