#include "kernels/author/converter.h"

ET_CONVERTER_DEFINE(float16, uint16_t, et_float16_to_float, ET_TO_FLOAT16,
                    ET_TO_FLOAT16)
