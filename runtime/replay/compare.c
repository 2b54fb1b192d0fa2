#include "runtime/replay/compare.h"

#include <math.h>
#include <string.h>

/* IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. */
static double half_to_double(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  double magnitude = 0;
  if (exponent == 0x1F) {
    magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
  } else if (exponent == 0) {
    magnitude = ldexp(fraction, -24);
  } else {
    magnitude = ldexp(fraction + 0x400, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/* bfloat16: the upper 16 bits of a float32. */
static double bfloat16_to_double(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value = 0;
  memcpy(&value, &wide, sizeof value);
  return value;
}

#define CASE_CONVERT(NAME, type, convert) \
  case ET_SCALAR_TYPE_##NAME: {           \
    type value;                           \
    memcpy(&value, data, sizeof value);   \
    return convert(value);                \
  }

double et_element_load(et_scalar_type dtype, const void *data) {
  switch (dtype) {
    CASE_CONVERT(UINT8, uint8_t, (double))
    CASE_CONVERT(INT8, int8_t, (double))
    CASE_CONVERT(INT16, int16_t, (double))
    CASE_CONVERT(INT32, int32_t, (double))
    CASE_CONVERT(INT64, int64_t, (double))
    CASE_CONVERT(FLOAT16, uint16_t, half_to_double)
    CASE_CONVERT(FLOAT32, float, (double))
    CASE_CONVERT(FLOAT64, double, (double))
    CASE_CONVERT(COMPLEX64, float, (double))
    CASE_CONVERT(COMPLEX128, double, (double))
    CASE_CONVERT(BOOL, uint8_t, 0 !=)
    CASE_CONVERT(BFLOAT16, uint16_t, bfloat16_to_double)
    CASE_CONVERT(UINT16, uint16_t, (double))
    CASE_CONVERT(UINT32, uint32_t, (double))
    CASE_CONVERT(UINT64, uint64_t, (double))
  }
  return (double)NAN;
}

static et_status fail_kind(const et_value *actual, const et_record *expected,
                           et_error *error) {
  static const char *const names[] = {"None",  "Tensor", "int",      "bool",
                                      "float", "str",    "quantized"};
  return et_fail(error, ET_STATUS_INVALID_TYPE, "got %s, expected %s",
                 et_value_tag_name((int32_t)actual->tag),
                 names[expected->kind]);
}

static et_status check_shape(const et_tensor *actual, const et_record *expected,
                             et_error *error) {
  if (actual->dtype != expected->dtype) {
    return et_fail(error, ET_STATUS_INVALID_TYPE, "got %s, expected %s",
                   et_scalar_type_name((int32_t)actual->dtype),
                   et_scalar_type_name((int32_t)expected->dtype));
  }
  if (actual->rank != expected->rank) {
    return et_fail(error, ET_STATUS_INVALID_TYPE, "got %u dims, expected %u",
                   (unsigned)actual->rank, (unsigned)expected->rank);
  }
  for (size_t d = 0; d < actual->rank; d++) {
    if (actual->sizes[d] != expected->sizes[d]) {
      return et_fail(error, ET_STATUS_INVALID_TYPE,
                     "got size %d of dim %zu, expected %d",
                     (int)actual->sizes[d], d, (int)expected->sizes[d]);
    }
  }
  return ET_STATUS_OK;
}

static void compare_element(double actual, double expected, size_t index,
                            et_tolerance tolerance, et_difference *out) {
  if (actual == expected || (isnan(actual) && isnan(expected))) {
    return;
  }
  const double absolute = fabs(actual - expected);
  const bool passes =
      absolute <= tolerance.atol + tolerance.rtol * fabs(expected);
  out->max_absolute =
      fmax(out->max_absolute, isnan(absolute) ? (double)INFINITY : absolute);
  if (expected != 0) {
    out->max_relative = fmax(out->max_relative, absolute / fabs(expected));
  }
  if (!passes || isinf(expected)) {
    if (out->failed == 0) {
      out->first_failed = index;
      out->actual = actual;
      out->expected = expected;
    }
    out->failed++;
  }
}

size_t et_compare_offset(size_t index, const int32_t *sizes,
                         const int32_t *strides, size_t rank) {
  size_t offset = 0;
  for (size_t d = rank; d-- > 0;) {
    const size_t size = (size_t)sizes[d];
    offset += index % size * (size_t)strides[d];
    index /= size;
  }
  return offset;
}

/* Compares one element: a real value, or the two parts of a complex one. */
static void compare_numbers(et_scalar_type dtype, const uint8_t *actual,
                            const uint8_t *expected, size_t index,
                            et_tolerance tolerance, et_difference *out) {
  const et_scalar_type number = et_scalar_type_of_parts(dtype);
  const size_t step = et_scalar_type_size((int32_t)number);
  for (size_t at = 0; at < et_scalar_type_size((int32_t)dtype); at += step) {
    compare_element(et_element_load(number, actual + at),
                    et_element_load(number, expected + at), index, tolerance,
                    out);
  }
}

static void compare_elements(const et_tensor *actual, const et_record *expected,
                             et_tolerance tolerance, et_difference *out) {
  const size_t size = et_scalar_type_size((int32_t)actual->dtype);
  const uint8_t *given = actual->data;
  for (size_t i = 0; i < expected->numel; i++) {
    const size_t a =
        et_compare_offset(i, actual->sizes, actual->strides, actual->rank);
    const size_t b = et_compare_offset(i, expected->sizes, expected->strides,
                                       expected->rank);
    /* Equal bytes mean equal values, even for integers that a double cannot
     * represent. */
    if (memcmp(given + a * size, expected->bytes.data + b * size, size) != 0) {
      compare_numbers(actual->dtype, given + a * size,
                      expected->bytes.data + b * size, i, tolerance, out);
    }
  }
}

static et_status compare_number(double actual, double expected,
                                et_tolerance tolerance, et_difference *out) {
  compare_element(actual, expected, 0, tolerance, out);
  return ET_STATUS_OK;
}

static et_status compare_string(et_string actual, et_string expected,
                                et_error *error) {
  if (actual.size != expected.size ||
      (actual.size != 0 &&
       memcmp(actual.data, expected.data, actual.size) != 0)) {
    return et_fail(error, ET_STATUS_INVALID_TYPE, "the str differs");
  }
  return ET_STATUS_OK;
}

static bool same_kind(const et_value *actual, const et_record *expected) {
  static const et_value_tag tags[] = {ET_VALUE_NONE,   ET_VALUE_TENSOR,
                                      ET_VALUE_INT,    ET_VALUE_BOOL,
                                      ET_VALUE_DOUBLE, ET_VALUE_STRING};
  return expected->kind < ET_RECORD_QUANTIZED &&
         actual->tag == tags[expected->kind];
}

et_status et_compare(const et_value *actual, const et_record *expected,
                     et_tolerance tolerance, et_difference *out_difference,
                     et_error *error) {
  const et_difference none = {0};
  const et_tolerance exact = {0, 0};
  *out_difference = none;
  if (!same_kind(actual, expected)) {
    return fail_kind(actual, expected, error);
  }
  switch (expected->kind) {
    case ET_RECORD_TENSOR:
      ET_RETURN_IF_ERROR(check_shape(actual->u.as_tensor, expected, error));
      compare_elements(actual->u.as_tensor, expected, tolerance,
                       out_difference);
      return ET_STATUS_OK;
    case ET_RECORD_INT:
      return compare_number((double)actual->u.as_int,
                            (double)expected->u.as_int, exact, out_difference);
    case ET_RECORD_BOOL:
      return compare_number(actual->u.as_bool, expected->u.as_bool, exact,
                            out_difference);
    case ET_RECORD_DOUBLE:
      return compare_number(actual->u.as_double, expected->u.as_double,
                            tolerance, out_difference);
    case ET_RECORD_STRING:
      return compare_string(actual->u.as_string, expected->u.as_string, error);
    default:
      return ET_STATUS_OK;
  }
}

void et_record_reorder(const et_record *record, const uint8_t *dim_order,
                       void *out) {
  const size_t size = et_scalar_type_size((int32_t)record->dtype);
  int32_t strides[ET_MAX_RANK];
  size_t numel = 0;
  if (et_tensor_layout(record->sizes, dim_order, record->rank, strides, &numel,
                       NULL) != ET_STATUS_OK) {
    return; /* not reached: the dim_order is from a loaded program */
  }
  for (size_t i = 0; i < numel; i++) {
    const size_t to =
        et_compare_offset(i, record->sizes, strides, record->rank);
    const size_t from =
        et_compare_offset(i, record->sizes, record->strides, record->rank);
    memcpy((uint8_t *)out + to * size, record->bytes.data + from * size, size);
  }
}

/* Sums over all pairs of elements. */
typedef struct sums {
  double actual;   /* sum of squares */
  double expected; /* sum of squares */
  double product;
  double error; /* sum of squared differences */
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
                   "the float model's output has a different shape");
  }
  const sums s = sums_of(actual, steps, expected);
  if (s.error != 0) {
    out_similarity->sqnr = 10 * log10(s.expected / s.error);
    out_similarity->cosine = s.product / sqrt(s.actual * s.expected);
  }
  return ET_STATUS_OK;
}
