#include "kernels/quantized/low_bit.h"

et_status et_op_embedding_2bit_out(et_kernel_context *context,
                                   et_value **args) {
  return et_low_bit_embedding(context, "embedding_2bit", args, 2, NULL,
                              args[6]->u.as_tensor);
}

et_status et_op_embedding_2bit_dtype_out(et_kernel_context *context,
                                         et_value **args) {
  return et_low_bit_embedding(context, "embedding_2bit", args, 2, args[6],
                              args[7]->u.as_tensor);
}
