#include "kernels/quantized/low_bit.h"

et_status et_op_embedding_4bit_out(et_kernel_context *context,
                                   et_value **args) {
  return et_low_bit_embedding(context, "embedding_4bit", args, 4, NULL,
                              args[6]->u.as_tensor);
}

et_status et_op_embedding_4bit_dtype_out(et_kernel_context *context,
                                         et_value **args) {
  return et_low_bit_embedding(context, "embedding_4bit", args, 4, args[6],
                              args[7]->u.as_tensor);
}
