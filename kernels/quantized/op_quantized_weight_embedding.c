#include "kernels/quantized/low_bit.h"

et_status et_op_quantized_weight_embedding_out(et_kernel_context *context,
                                               et_value **args) {
  const char *what = "low-bit embedding";
  et_low_bit table;
  ET_RETURN_IF_ERROR(et_low_bit_read(context, what, args, ET_LOW_BIT_MINIMA,
                                     args[4]->u.as_int, &table));
  return et_low_bit_rows(context, what, &table, args[3]->u.as_tensor,
                         args[5]->u.as_tensor);
}
