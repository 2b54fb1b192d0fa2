/* Helpers for operators that compute in int8 or uint8. */
#ifndef ET_KERNELS_QUANTIZED_INT8_ARGUMENTS_H_
#define ET_KERNELS_QUANTIZED_INT8_ARGUMENTS_H_

#include "kernels/engines/int8.h"

/* Leading arguments of an int8 GEMM operator. */
enum {
  ET_INT8_INPUT,
  ET_INT8_INPUT_ZERO_POINT,
  ET_INT8_WEIGHT,
  ET_INT8_FACTORS,
  ET_INT8_BIAS,
  ET_INT8_NEXT /* first argument that is specific to the operator */
};

/* Checks that `value` is a zero point of `tensor`, and sets the parameters for
 * computing q - zero_point. */
et_status et_int8_read_params(et_kernel_context *context, const char *what,
                              const et_tensor *tensor, const et_value *value,
                              et_int8_params *out);

/* Reads the zero point and the limits of `tensor` from args[0..2]. */
et_status et_int8_read_range(et_kernel_context *context, const char *what,
                             const et_tensor *tensor, et_value *const *args,
                             et_int8_range *out);

/* Checks the factors, and the bias unless it is NULL, of a GEMM with `weight`
 * and reduction depth `depth`. Also checks that scratch holds at least one
 * panel column. */
et_status et_int8_check_gemm(et_kernel_context *context, const char *what,
                             const et_tensor *weight, size_t depth,
                             const et_tensor *factors, const et_tensor *bias);

/* Returns the float data, or NULL if `tensor` is NULL. */
static inline const float *et_int8_floats(const et_tensor *tensor) {
  return tensor == NULL ? NULL : (const float *)tensor->data;
}

#endif /* ET_KERNELS_QUANTIZED_INT8_ARGUMENTS_H_ */
