#include "kernels/portable/divide.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/loop.h"
#include "executorch/kernels/promote.h"

double et_divide_floor_real(double x, double y) {
  if (y == 0.0) {
    return x / y;
  }
  const double remainder = fmod(x, y);
  const bool below = remainder != 0.0 && (y < 0.0) != (remainder < 0.0);
  const double quotient = (x - remainder) / y - (below ? 1.0 : 0.0);
  if (quotient == 0.0) {
    return copysign(0.0, x / y);
  }
  const double floored = floor(quotient);
  return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

/* Returns true if converting an integer to `dtype` yields 0. A narrow dtype
 * keeps only the low bits. */
static bool is_zero_in(et_scalar_type dtype, int64_t value) {
  uint64_t stored = 0;
  et_store_run(ET_COMPUTE_INT64, &value, dtype, (uint8_t *)&stored, 0, 1);
  return stored == 0;
}

static bool has_zero(const et_tensor *tensor, et_scalar_type common) {
  const et_view view = et_view_of(tensor);
  for (et_loop loop = et_loop_over(&view, 1); loop.count > 0;
       et_loop_next(&loop)) {
    for (size_t i = 0; i < loop.count; i++) {
      int64_t value = 0;
      et_load_run(ET_COMPUTE_INT64, tensor->dtype,
                  loop.at[0] + loop.strides[0] * (ptrdiff_t)i, 0, 1, &value);
      if (is_zero_in(common, value)) {
        return true;
      }
    }
  }
  return false;
}

/* Returns true if an integer divisor is 0. Returns false without reading the
 * divisor if self is empty or a dtype is not supported; et_map_binary rejects
 * the latter. */
static bool divides_by_zero(const et_value *self, const et_value *other,
                            et_scalar_type common) {
  if (self->u.as_tensor->numel == 0 || !et_dtype_is_computable(common)) {
    return false;
  }
  if (other->tag != ET_VALUE_TENSOR) {
    return is_zero_in(common, et_scalar_to_int(other));
  }
  const et_tensor *divisors = other->u.as_tensor;
  return et_dtype_is_computable(divisors->dtype) && has_zero(divisors, common);
}

et_status et_map_divide(et_kernel_context *context, const et_map *map,
                        const et_value *self, const et_value *other,
                        const et_value *out) {
  const et_value *operands[2] = {self, other};
  const et_scalar_type common = et_result_type(operands, 2);
  ET_CHECK(context,
           et_scalar_type_is_floating(common) ||
               !divides_by_zero(self, other, common),
           "%s: integer division by zero; cast the operands to float32",
           map->name);
  return et_map_binary(context, map, self, other, out);
}
