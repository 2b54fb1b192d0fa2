#include "kernels/quantized/low_bit.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/index.h"
#include "executorch/kernels/shape.h"

static et_status check_embedding(et_kernel_context *context, const char *what,
                                 et_value *const *args, const et_value *dtype,
                                 const et_tensor *out) {
  ET_CHECK(context, args[3]->u.as_int <= args[4]->u.as_int,
           "%s: weight_quant_min %lld is above weight_quant_max %lld", what,
           (long long)args[3]->u.as_int, (long long)args[4]->u.as_int);
  ET_CHECK(context,
           dtype == NULL ||
               et_arg_int_or(dtype, (int64_t)out->dtype) == (int64_t)out->dtype,
           "%s: out has dtype %s; it must match the dtype argument", what,
           et_scalar_type_name((int32_t)out->dtype));
  return ET_STATUS_OK;
}

static et_status resize_out(et_kernel_context *context, const char *what,
                            const et_tensor *indices, size_t columns,
                            et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  ET_RETURN_IF_ERROR(et_shape_rank(context, what, indices, 0, ET_MAX_RANK - 1));
  ET_CHECK(context, columns <= INT32_MAX,
           "%s: rows of %zu elements are too long", what, columns);
  for (size_t d = 0; d < indices->rank; d++) {
    sizes[d] = indices->sizes[d];
  }
  sizes[indices->rank] = (int32_t)columns;
  return et_tensor_resize(out, sizes, (size_t)indices->rank + 1,
                          context->error);
}

static void copy_row(const et_low_bit *table, size_t row, et_scalar_type dtype,
                     uint8_t *out) {
  const size_t size = et_scalar_type_size((int32_t)dtype);
  for (size_t start = 0; start < table->columns; start += ET_CHUNK) {
    et_chunk chunk;
    const size_t rest = table->columns - start;
    const size_t n = rest < ET_CHUNK ? rest : ET_CHUNK;
    et_low_bit_dequantize(table, row, start, n, chunk.float32);
    et_store_run(ET_COMPUTE_FLOAT32, &chunk, dtype, out + start * size,
                 (ptrdiff_t)size, n);
  }
}

et_status et_low_bit_rows(et_kernel_context *context, const char *what,
                          const et_low_bit *table, const et_tensor *indices,
                          et_tensor *out) {
  ET_CHECK(context, table->columns % table->groups == 0,
           "%s: %zu groups do not divide rows of %zu elements", what,
           table->groups, table->columns);
  ET_RETURN_IF_ERROR(
      et_index_check(context, what, indices, (int64_t)table->rows, false));
  ET_RETURN_IF_ERROR(resize_out(context, what, indices, table->columns, out));
  const et_view index_view = et_view_of(indices);
  const size_t row_bytes =
      table->columns * et_scalar_type_size((int32_t)out->dtype);
  for (size_t i = 0; i < indices->numel; i++) {
    copy_row(table, (size_t)et_index_at(&index_view, i), out->dtype,
             (uint8_t *)out->data + i * row_bytes);
  }
  return ET_STATUS_OK;
}

et_status et_low_bit_embedding(et_kernel_context *context, const char *what,
                               et_value *const *args, int64_t bits,
                               const et_value *dtype, et_tensor *out) {
  et_low_bit table;
  ET_RETURN_IF_ERROR(et_low_bit_read(context, what, args,
                                     ET_LOW_BIT_ZERO_POINTS, bits, &table));
  ET_RETURN_IF_ERROR(check_embedding(context, what, args, dtype, out));
  return et_low_bit_rows(context, what, &table, args[5]->u.as_tensor, out);
}
