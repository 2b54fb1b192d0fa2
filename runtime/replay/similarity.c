#include "runtime/replay/similarity.h"

#include <math.h>
#include <string.h>

#include "runtime/replay/compare.h"
#include "runtime/replay/element.h"

/* Sums over all pairs of elements. */
typedef struct sums {
  double actual;   /* of squares */
  double expected; /* of squares */
  double product;
  double error; /* of squared differences */
} sums;

static bool same_shape(const et_tensor *actual, const et_record *expected) {
  return actual->rank == expected->rank &&
         (actual->rank == 0 ||
          memcmp(actual->sizes, expected->sizes,
                 actual->rank * sizeof *expected->sizes) == 0);
}

static void add_element(double actual, double expected, sums *s) {
  const double difference = actual - expected;
  s->actual += actual * actual;
  s->expected += expected * expected;
  s->product += actual * expected;
  s->error += difference * difference;
}

static double element_at(const uint8_t *data, et_scalar_type dtype,
                         size_t offset) {
  return et_element_load(dtype,
                         data + offset * et_scalar_type_size((int32_t)dtype));
}

static sums sums_of(const et_tensor *actual, et_record_steps steps,
                    const et_record *expected) {
  sums s = {0};
  for (size_t i = 0; i < expected->numel; i++) {
    const size_t a =
        et_compare_offset(i, actual->sizes, actual->strides, actual->rank);
    const size_t b = et_compare_offset(i, expected->sizes, expected->strides,
                                       expected->rank);
    const double element = element_at(actual->data, actual->dtype, a);
    add_element((element - steps.zero_point) * steps.scale,
                element_at(expected->bytes.data, expected->dtype, b), &s);
  }
  return s;
}

et_status et_similarity_of(const et_tensor *actual, et_record_steps steps,
                           const et_record *expected,
                           et_similarity *out_similarity, et_error *error) {
  const et_similarity equal = {(double)INFINITY, 1};
  *out_similarity = equal;
  if (expected->kind != ET_RECORD_TENSOR || !same_shape(actual, expected)) {
    return et_fail(error, ET_STATUS_INVALID_TYPE,
                   "the float model's output has another shape");
  }
  const sums s = sums_of(actual, steps, expected);
  if (s.error != 0) {
    out_similarity->sqnr = 10 * log10(s.expected / s.error);
    out_similarity->cosine = s.product / sqrt(s.actual * s.expected);
  }
  return ET_STATUS_OK;
}
