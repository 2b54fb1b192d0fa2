#include "kernels/author/operands.h"

static et_scalar_type dtype_of_number(et_value_tag tag) {
  if (tag == ET_VALUE_DOUBLE) {
    return ET_SCALAR_TYPE_FLOAT64;
  }
  return tag == ET_VALUE_BOOL ? ET_SCALAR_TYPE_BOOL : ET_SCALAR_TYPE_INT64;
}

static et_tensor tensor_of_number(const et_value *number) {
  return (et_tensor){.data = (void *)&number->u,
                     .numel = 1,
                     .dtype = dtype_of_number(number->tag),
                     .is_constant = true};
}

void et_operands_list(const et_value *const *values, size_t count,
                      et_operands *out) {
  out->count = count;
  for (size_t i = 0; i < count; i++) {
    if (values[i]->tag == ET_VALUE_TENSOR) {
      out->numbers[i] = NULL;
      out->tensors[i] = values[i]->u.as_tensor;
    } else {
      out->numbers[i] = values[i];
      out->number_tensors[i] = tensor_of_number(values[i]);
      out->tensors[i] = &out->number_tensors[i];
    }
  }
}

void et_operands_repeat(et_compute compute, const et_value *number,
                        size_t count, et_chunk *out) {
  const bool is_real = number->tag == ET_VALUE_DOUBLE;
  const double real = et_scalar_to_double(number);
  const int64_t integer = is_real ? 0 : et_scalar_to_int(number);
  for (size_t i = 0; i < count; i++) {
    if (compute == ET_COMPUTE_INT64) {
      out->int64[i] = integer;
    } else if (compute == ET_COMPUTE_FLOAT32) {
      out->float32[i] = is_real ? (float)real : (float)integer;
    } else {
      out->float64[i] = real;
    }
  }
}
