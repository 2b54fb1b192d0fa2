#include "kernels/author/converter.h"

ET_CONVERTER_DEFINE(int32, int32_t, ET_AS_IS, ET_LOW_BITS, ET_TRUNCATED)
