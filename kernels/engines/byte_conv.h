/* int8 and uint8 convolution. */
#ifndef ET_KERNELS_ENGINES_BYTE_CONV_H_
#define ET_KERNELS_ENGINES_BYTE_CONV_H_

#include "kernels/engines/byte_product.h"
#include "kernels/engines/conv.h"

/* `conv` is not transposed and in row-major order. Input and output are int8 or
 * uint8; the weight is int8. The other fields are as in et_byte_product. */
typedef struct et_byte_conv {
  et_conv conv;
  et_byte_reading reading;
  const float *factors;
  const float *bias;
  et_byte_range range;
} et_byte_conv;

/* Returns the reduction depth K. */
size_t et_byte_conv_depth(const et_conv *conv);

/* `scratch` must hold at least one column of a panel. */
void et_byte_conv_run(const et_byte_conv *conv, et_mutable_span scratch);

/* Depthwise path of et_byte_conv_run, for two spatial dimensions. Returns
 * false, and writes nothing, if the convolution is not depthwise or its rows do
 * not fit `scratch`. */
bool et_byte_conv_depthwise(const et_byte_conv *conv, et_mutable_span scratch);

#endif /* ET_KERNELS_ENGINES_BYTE_CONV_H_ */
