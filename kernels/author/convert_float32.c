#include "kernels/author/converter.h"

ET_CONVERTER_DEFINE(float32, float, ET_AS_IS, ET_TO_FLOAT, ET_TO_FLOAT)
