/* What operators that compute in bytes share. */
#ifndef ET_KERNELS_QUANTIZED_BYTES_H_
#define ET_KERNELS_QUANTIZED_BYTES_H_

#include "kernels/engines/byte_product.h"

/* The arguments that a product of bytes begins with. */
enum {
  ET_BYTES_INPUT,
  ET_BYTES_INPUT_ZERO_POINT,
  ET_BYTES_WEIGHT,
  ET_BYTES_FACTORS,
  ET_BYTES_BIAS,
  ET_BYTES_NEXT /* the first that is the operator's own */
};

/* Checks that `value` is a zero point of `tensor`, and says how to read it. */
et_status et_bytes_reading(et_kernel_context *context, const char *what,
                           const et_tensor *tensor, const et_value *value,
                           et_byte_reading *out);

/* Reads zero point and limits of `tensor`'s codes from args[0..2]. */
et_status et_bytes_range(et_kernel_context *context, const char *what,
                         const et_tensor *tensor, et_value *const *args,
                         et_byte_range *out);

/* Checks factors, and a bias unless it is NULL, of products with `weight`, whose results
 * have `depth` summands, and that `scratch` holds a column of them. */
et_status et_bytes_check_product(et_kernel_context *context, const char *what,
                                 const et_tensor *weight, size_t depth,
                                 const et_tensor *factors,
                                 const et_tensor *bias);

/* Its floats; NULL for none. */
static inline const float *et_bytes_floats(const et_tensor *tensor) {
  return tensor == NULL ? NULL : (const float *)tensor->data;
}

#endif /* ET_KERNELS_QUANTIZED_BYTES_H_ */
