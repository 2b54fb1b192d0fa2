#include "kernels/author/converter.h"

ET_CONVERTER_DEFINE(int16, int16_t, ET_AS_IS, ET_LOW_BITS, ET_TRUNCATED)
