#include "kernels/author/converter.h"

ET_CONVERTER_DEFINE(int64, int64_t, ET_AS_IS, ET_AS_IS, ET_TRUNCATED)
