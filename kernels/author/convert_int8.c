#include "kernels/author/converter.h"

ET_CONVERTER_DEFINE(int8, int8_t, ET_AS_IS, ET_LOW_BITS, ET_TRUNCATED)
