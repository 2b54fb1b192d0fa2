/* Matrix products of any dtype and layout, one result after the other. */
#include "executorch/kernels/convert.h"
#include "kernels/engines/matmul.h"

static size_t chunk_of(int64_t rest) {
  return rest < ET_CHUNK ? (size_t)rest : ET_CHUNK;
}

static void load(const et_view *view, size_t walked, int64_t i, int64_t j,
                 size_t count, et_compute compute, et_chunk *out) {
  const int64_t size = (int64_t)et_scalar_type_size((int32_t)view->dtype);
  const int64_t at = i * view->strides[0] + j * view->strides[1];
  et_load_run(compute, view->dtype, view->data + at * size,
              (ptrdiff_t)(view->strides[walked] * size), count, out);
}

static double element_double(const et_matmul *p, int64_t i, int64_t j) {
  double sum = 0.0;
  const int64_t depth = p->a.sizes[1];
  for (int64_t k = 0; k < depth; k += ET_CHUNK) {
    const size_t n = chunk_of(depth - k);
    et_chunk a;
    et_chunk b;
    load(&p->a, 1, i, k, n, ET_COMPUTE_FLOAT64, &a);
    load(&p->b, 0, k, j, n, ET_COMPUTE_FLOAT64, &b);
    for (size_t t = 0; t < n; t++) {
      sum += a.float64[t] * b.float64[t];
    }
  }
  return sum;
}

static int64_t element_int64(const et_matmul *p, int64_t i, int64_t j) {
  int64_t sum = 0;
  const int64_t depth = p->a.sizes[1];
  for (int64_t k = 0; k < depth; k += ET_CHUNK) {
    const size_t n = chunk_of(depth - k);
    et_chunk a;
    et_chunk b;
    load(&p->a, 1, i, k, n, ET_COMPUTE_INT64, &a);
    load(&p->b, 0, k, j, n, ET_COMPUTE_INT64, &b);
    for (size_t t = 0; t < n; t++) {
      sum = et_wrap_add(sum, et_wrap_mul(a.int64[t], b.int64[t]));
    }
  }
  return sum;
}

static double real_of(const et_value *number) {
  return number == NULL ? 1.0 : et_scalar_to_double(number);
}

static int64_t integer_of(const et_value *number) {
  return number == NULL ? 1 : et_scalar_to_int(number);
}

/* beta = 0 leaves the bias out, be it NaN, as in PyTorch. */
static void finish_double(const et_matmul *p, int64_t i, int64_t j,
                          et_chunk *out) {
  out->float64[0] = real_of(p->alpha) * element_double(p, i, j);
  if (p->bias.data != NULL && real_of(p->beta) != 0.0) {
    et_chunk bias;
    load(&p->bias, 0, i, j, 1, ET_COMPUTE_FLOAT64, &bias);
    out->float64[0] += real_of(p->beta) * bias.float64[0];
  }
}

static void finish_int64(const et_matmul *p, int64_t i, int64_t j,
                         et_chunk *out) {
  out->int64[0] = et_wrap_mul(integer_of(p->alpha), element_int64(p, i, j));
  if (p->bias.data != NULL) {
    et_chunk bias;
    load(&p->bias, 0, i, j, 1, ET_COMPUTE_INT64, &bias);
    out->int64[0] = et_wrap_add(
        out->int64[0], et_wrap_mul(integer_of(p->beta), bias.int64[0]));
  }
}

void et_matmul_any(const et_matmul *p) {
  const bool real = et_scalar_type_is_floating(p->out.dtype);
  const int64_t size = (int64_t)et_scalar_type_size((int32_t)p->out.dtype);
  for (int64_t i = 0; i < p->out.sizes[0]; i++) {
    for (int64_t j = 0; j < p->out.sizes[1]; j++) {
      et_chunk result;
      (real ? finish_double : finish_int64)(p, i, j, &result);
      const int64_t at = i * p->out.strides[0] + j * p->out.strides[1];
      et_store_run(real ? ET_COMPUTE_FLOAT64 : ET_COMPUTE_INT64, &result,
                   p->out.dtype, p->out.data + at * size, 0, 1);
    }
  }
}
