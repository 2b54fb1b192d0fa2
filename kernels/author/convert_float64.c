#include "kernels/author/converter.h"

ET_CONVERTER_DEFINE(float64, double, ET_AS_IS, ET_TO_DOUBLE, ET_TO_DOUBLE)
