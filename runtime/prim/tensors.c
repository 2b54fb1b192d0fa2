/* Operators between sizes and tensors. */
#include <string.h>

#include "runtime/prim/number.h"

/* args: [self, dim, out]. A negative dim counts from the end. */
et_status et_prim_sym_size_int(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const int64_t rank = self->rank;
  const int64_t given = args[1]->u.as_int;
  const int64_t dim = given < 0 ? given + rank : given;
  if (dim < 0 || dim >= rank) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "dim %lld is out of range for rank %lld", (long long)given,
                   (long long)rank);
  }
  return et_number_store_int(context, args[2], self->sizes[dim]);
}

/* args: [self, out]. */
et_status et_prim_sym_numel(et_kernel_context *context, et_value **args) {
  return et_number_store_int(context, args[1],
                             (int64_t)args[0]->u.as_tensor->numel);
}

#define CASE_INT(NAME, type)                     \
  case ET_SCALAR_TYPE_##NAME:                    \
    return et_number_store_int(context, args[1], \
                               (int64_t)*(const type *)self->data);

/* args: [self, out]. Returns the element of a one-element tensor. */
et_status et_prim_local_scalar_dense(et_kernel_context *context,
                                     et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  if (self->numel != 1) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "got a tensor of %zu elements, expected 1", self->numel);
  }
  switch (self->dtype) {
    CASE_INT(UINT8, uint8_t)
    CASE_INT(INT8, int8_t)
    CASE_INT(INT16, int16_t)
    CASE_INT(INT32, int32_t)
    CASE_INT(INT64, int64_t)
    case ET_SCALAR_TYPE_BOOL:
      return et_number_store_bool(context, args[1],
                                  *(const uint8_t *)self->data != 0);
    case ET_SCALAR_TYPE_FLOAT32:
      return et_number_store_double(context, args[1],
                                    *(const float *)self->data);
    case ET_SCALAR_TYPE_FLOAT64:
      return et_number_store_double(context, args[1],
                                    *(const double *)self->data);
    default:
      return et_fail(context->error, ET_STATUS_NOT_SUPPORTED,
                     "dtype %s is not supported",
                     et_scalar_type_name((int32_t)self->dtype));
  }
}

/* Computes the sizes of a view. One of them may be -1 and is inferred. */
static et_status view_sizes(et_kernel_context *context, const et_value *list,
                            size_t numel, int32_t *out_sizes) {
  size_t known = 1;
  size_t open = ET_MAX_RANK;
  for (size_t d = 0; d < list->u.as_list.size; d++) {
    const int64_t size = et_int_list_at(list, d);
    if (size == -1 && open == ET_MAX_RANK) {
      open = d;
      continue;
    }
    if (size < 0 || size > INT32_MAX ||
        (size != 0 && known > SIZE_MAX / (size_t)size)) {
      return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                     "size[%zu] = %lld is out of range", d, (long long)size);
    }
    known *= (size_t)size;
    out_sizes[d] = (int32_t)size;
  }
  if (open != ET_MAX_RANK) {
    const size_t rest = known != 0 ? numel / known : 0;
    out_sizes[open] = rest <= INT32_MAX ? (int32_t)rest : 0;
    known *= (size_t)out_sizes[open];
  }
  return known == numel
             ? ET_STATUS_OK
             : et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                       "cannot view %zu elements as %zu", numel, known);
}

/* args: [self, size, out]. The loader has bound `out` to self's memory, so
 * only the sizes are set. */
et_status et_prim_et_view(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  const size_t rank = args[1]->u.as_list.size;
  int32_t sizes[ET_MAX_RANK];
  if (rank > ET_MAX_RANK) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "a view of rank %zu exceeds the limit", rank);
  }
  if (!et_tensor_is_contiguous(self) || !et_tensor_is_contiguous(out)) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "the input and the output of a view must be contiguous");
  }
  ET_RETURN_IF_ERROR(view_sizes(context, args[1], self->numel, sizes));
  return et_tensor_resize(out, sizes, rank, context->error);
}

static et_status check_copy_index(et_kernel_context *context,
                                  const et_tensor *to, const et_tensor *from,
                                  int64_t index) {
  if (index < 0 || index >= INT32_MAX) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "index %lld is out of range", (long long)index);
  }
  if (to->rank != from->rank + 1 || to->dtype != from->dtype ||
      !et_tensor_is_contiguous(to) || !et_tensor_is_contiguous(from)) {
    return et_fail(
        context->error, ET_STATUS_INVALID_ARGUMENT,
        "a rank-%u tensor cannot be a row of a rank-%u tensor, or the "
        "dtypes differ or a tensor is not contiguous",
        (unsigned)from->rank, (unsigned)to->rank);
  }
  return ET_STATUS_OK;
}

/* args: [copy_to, copy_from, index]. Computes copy_to[index] = copy_from. A
 * dynamic copy_to then has index + 1 rows, so it grows as a loop fills it. */
et_status et_prim_et_copy_index(et_kernel_context *context, et_value **args) {
  et_tensor *to = args[0]->u.as_tensor;
  const et_tensor *from = args[1]->u.as_tensor;
  const int64_t index = args[2]->u.as_int;
  ET_RETURN_IF_ERROR(check_copy_index(context, to, from, index));
  const bool grows = to->dynamism != ET_SHAPE_STATIC;
  int32_t sizes[ET_MAX_RANK];
  sizes[0] = grows ? (int32_t)(index + 1) : to->sizes[0];
  memcpy(sizes + 1, from->sizes, from->rank * sizeof *sizes);
  ET_RETURN_IF_ERROR(et_tensor_resize(to, sizes, to->rank, context->error));
  if (index >= to->sizes[0]) {
    return et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                   "index %lld is out of range for %d rows", (long long)index,
                   (int)to->sizes[0]);
  }
  const size_t row = et_tensor_nbytes(from);
  memcpy((uint8_t *)to->data + (size_t)index * row, from->data, row);
  return ET_STATUS_OK;
}
