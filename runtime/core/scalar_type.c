#include "executorch/scalar_type.h"

#include "runtime/core/error.h"

size_t et_scalar_type_size(int32_t code) {
  switch (code) {
#define ET_SCALAR_TYPE_SIZE(name, number, bytes, text) \
  case number:                                         \
    return bytes;
    ET_SCALAR_TYPE_LIST(ET_SCALAR_TYPE_SIZE)
#undef ET_SCALAR_TYPE_SIZE
    default:
      return 0;
  }
}

const char *et_scalar_type_name(int32_t code) {
#define ET_SCALAR_TYPE_CODE(name, number, bytes, text) number,
#define ET_SCALAR_TYPE_NAME(name, number, bytes, text) text "\0"
  static const uint8_t codes[] = {ET_SCALAR_TYPE_LIST(ET_SCALAR_TYPE_CODE)};
  static const et_coded_texts names = {
      codes, sizeof codes, ET_SCALAR_TYPE_LIST(ET_SCALAR_TYPE_NAME) "unknown"};
#undef ET_SCALAR_TYPE_NAME
#undef ET_SCALAR_TYPE_CODE
  return et_coded_text(&names, code);
}

bool et_scalar_type_is_floating(et_scalar_type dtype) {
  return dtype == ET_SCALAR_TYPE_FLOAT16 || dtype == ET_SCALAR_TYPE_FLOAT32 ||
         dtype == ET_SCALAR_TYPE_FLOAT64 || dtype == ET_SCALAR_TYPE_BFLOAT16;
}

bool et_scalar_type_is_complex(et_scalar_type dtype) {
  return dtype == ET_SCALAR_TYPE_COMPLEX64 ||
         dtype == ET_SCALAR_TYPE_COMPLEX128;
}

et_scalar_type et_scalar_type_of_parts(et_scalar_type dtype) {
  if (!et_scalar_type_is_complex(dtype)) {
    return dtype;
  }
  return dtype == ET_SCALAR_TYPE_COMPLEX64 ? ET_SCALAR_TYPE_FLOAT32
                                           : ET_SCALAR_TYPE_FLOAT64;
}

bool et_scalar_type_is_integral(et_scalar_type dtype) {
  return et_scalar_type_size((int32_t)dtype) != 0 &&
         dtype != ET_SCALAR_TYPE_BOOL && !et_scalar_type_is_floating(dtype) &&
         !et_scalar_type_is_complex(dtype);
}
