#include "executorch/kernels/promote.h"

#include <stdbool.h>

typedef enum category {
  CATEGORY_NONE,
  CATEGORY_BOOL,
  CATEGORY_INTEGER,
  CATEGORY_FLOATING,
} category;

static category category_of(et_scalar_type dtype) {
  if (et_scalar_type_is_floating(dtype)) {
    return CATEGORY_FLOATING;
  }
  return dtype == ET_SCALAR_TYPE_BOOL ? CATEGORY_BOOL : CATEGORY_INTEGER;
}

/* Rank within a category: the dtype with the higher rank can represent both.
 * uint8 and int8 do not have such an order, and neither do float16 and
 * bfloat16. */
static int order(et_scalar_type dtype) {
  switch (dtype) {
    case ET_SCALAR_TYPE_INT16:
      return 1;
    case ET_SCALAR_TYPE_INT32:
    case ET_SCALAR_TYPE_FLOAT32:
      return 2;
    case ET_SCALAR_TYPE_INT64:
    case ET_SCALAR_TYPE_FLOAT64:
      return 3;
    default:
      return 0;
  }
}

et_scalar_type et_promote(et_scalar_type a, et_scalar_type b) {
  const category of_a = category_of(a);
  const category of_b = category_of(b);
  if (of_a != of_b) {
    return of_a > of_b ? a : b;
  }
  if (order(a) != order(b)) {
    return order(a) > order(b) ? a : b;
  }
  if (a == b) {
    return a;
  }
  return of_a == CATEGORY_FLOATING ? ET_SCALAR_TYPE_FLOAT32
                                   : ET_SCALAR_TYPE_INT16;
}

/* Promoted dtype of one kind of operand. The category is NONE if there is no
 * such operand. */
typedef struct group {
  category category;
  et_scalar_type dtype;
} group;

static void join(group *group, et_scalar_type dtype) {
  group->dtype = group->category == CATEGORY_NONE
                     ? dtype
                     : et_promote(group->dtype, dtype);
  group->category = category_of(group->dtype);
}

/* Scalars have PyTorch's default dtypes. */
static void join_number(group *group, const et_value *number) {
  if (number->tag == ET_VALUE_DOUBLE) {
    join(group, ET_SCALAR_TYPE_FLOAT32);
  } else if (number->tag == ET_VALUE_INT) {
    join(group, ET_SCALAR_TYPE_INT64);
  } else if (number->tag == ET_VALUE_BOOL) {
    join(group, ET_SCALAR_TYPE_BOOL);
  }
}

static group prefer(group higher, group lower) {
  return lower.category > higher.category ? lower : higher;
}

et_scalar_type et_result_type(const et_value *const *operands, size_t count) {
  group with_dims = {CATEGORY_NONE, ET_SCALAR_TYPE_BOOL};
  group without_dims = with_dims;
  group numbers = with_dims;
  for (size_t i = 0; i < count; i++) {
    if (operands[i]->tag == ET_VALUE_TENSOR) {
      const et_tensor *tensor = operands[i]->u.as_tensor;
      join(tensor->rank > 0 ? &with_dims : &without_dims, tensor->dtype);
    } else {
      join_number(&numbers, operands[i]);
    }
  }
  return prefer(with_dims, prefer(without_dims, numbers)).dtype;
}
