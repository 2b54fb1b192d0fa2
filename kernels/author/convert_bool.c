#include "kernels/author/converter.h"

ET_CONVERTER_DEFINE(bool, uint8_t, ET_NOT_ZERO, ET_NOT_ZERO, ET_NOT_ZERO)
