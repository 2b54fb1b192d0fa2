#include "kernels/author/converter.h"

ET_CONVERTER_DEFINE(bfloat16, uint16_t, et_bfloat16_to_float, ET_TO_BFLOAT16,
                    ET_TO_BFLOAT16)
