#include "executorch/kernels/convert.h"

#include <string.h>

#include "kernels/author/converter.h"

/* Weak references do not make the linker add a converter. The address of a
 * converter that no kernel table references is NULL. Linkers for Windows and
 * macOS do not resolve weak references to objects in archives, so there all
 * converters are linked. */
#if defined(__ELF__) || defined(__wasm__)
#define WEAK(NAME, name) \
  __attribute__((weak)) extern const et_converter et_converter_##name;
ET_CONVERTER_LIST(WEAK)
#endif

/* Indexed by dtype code. NULL if the dtype is not supported. */
static const et_converter *const converters[ET_SCALAR_TYPE_BFLOAT16 + 1] = {
#define ENTRY(NAME, name) [ET_SCALAR_TYPE_##NAME] = &et_converter_##name,
    ET_CONVERTER_LIST(ENTRY)
#undef ENTRY
};

static const et_converter *converter_of(et_scalar_type dtype) {
  return dtype <= ET_SCALAR_TYPE_BFLOAT16 ? converters[dtype] : NULL;
}

et_compute et_compute_of(et_scalar_type dtype) {
  if (dtype == ET_SCALAR_TYPE_FLOAT64) {
    return ET_COMPUTE_FLOAT64;
  }
  return et_scalar_type_is_floating(dtype) ? ET_COMPUTE_FLOAT32
                                           : ET_COMPUTE_INT64;
}

bool et_compute_is_stored(et_compute compute, et_scalar_type dtype) {
  static const et_scalar_type stored[ET_COMPUTE_COUNT] = {
      ET_SCALAR_TYPE_INT64, ET_SCALAR_TYPE_FLOAT32, ET_SCALAR_TYPE_FLOAT64};
  return stored[compute] == dtype;
}

bool et_dtype_is_computable(et_scalar_type dtype) {
  return converter_of(dtype) != NULL;
}

void et_load_run(et_compute compute, et_scalar_type dtype, const uint8_t *in,
                 ptrdiff_t stride, size_t count, void *out) {
  const et_converter *converter = converter_of(dtype);
  if (converter != NULL) {
    converter->load[compute](in, stride, count, out);
  } else {
    memset(out, 0, count * (compute == ET_COMPUTE_FLOAT32 ? 4 : 8));
  }
}

void et_store_run(et_compute compute, const void *in, et_scalar_type dtype,
                  uint8_t *out, ptrdiff_t stride, size_t count) {
  const et_converter *converter = converter_of(dtype);
  if (converter != NULL) {
    converter->store[compute](in, out, stride, count);
  }
}
