#include "kernels/author/converter.h"

ET_CONVERTER_DEFINE(uint8, uint8_t, ET_AS_IS, ET_LOW_BITS, ET_TRUNCATED)
