/* Convolutions of bytes. */
#ifndef ET_KERNELS_ENGINES_BYTE_CONV_H_
#define ET_KERNELS_ENGINES_BYTE_CONV_H_

#include "kernels/engines/byte_product.h"
#include "kernels/engines/conv.h"

/* `conv`: not transposed, in row-major order; input and out int8 or uint8, weight int8.
 * The rest as in et_byte_product. */
typedef struct et_byte_conv {
  et_conv conv;
  et_byte_reading reading;
  const float *factors;
  const float *bias;
  et_byte_range range;
} et_byte_conv;

/* Summands of a result. */
size_t et_byte_conv_depth(const et_conv *conv);

/* `scratch` holds a column of a panel at least. */
void et_byte_conv_run(const et_byte_conv *conv, et_mutable_span scratch);

/* The part of it for one input channel a group and two spatial dimensions: false, and
 * nothing written, when its rows do not fit `scratch`. */
bool et_byte_conv_depthwise(const et_byte_conv *conv, et_mutable_span scratch);

#endif /* ET_KERNELS_ENGINES_BYTE_CONV_H_ */
