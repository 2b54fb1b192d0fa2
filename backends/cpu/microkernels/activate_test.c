/* Compares activation functions with the C library in double precision. */
#include "backends/cpu/microkernels/activation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/cpu/ops/testing.h"

static et_cpu_activate_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_activate_f32);

#define COUNT 20003

static double reference(const et_cpu_activation *activation, double x) {
  switch (activation->function) {
    case ET_CPU_ACTIVATION_FUNCTION_CLAMP:
      return fmin(fmax(x, (double)activation->low), (double)activation->high);
    case ET_CPU_ACTIVATION_FUNCTION_GELU:
      return x * 0.5 * erfc(-x * sqrt(0.5));
    case ET_CPU_ACTIVATION_FUNCTION_GELU_TANH:
      return x * 0.5 *
             (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
    case ET_CPU_ACTIVATION_FUNCTION_SILU:
      return x / (1 + exp(-x));
    case ET_CPU_ACTIVATION_FUNCTION_HARDSWISH:
      return x * fmin(fmax(x + 3, 0), 6) / 6;
    case ET_CPU_ACTIVATION_FUNCTION_SIGMOID:
      return 1 / (1 + exp(-x));
    case ET_CPU_ACTIVATION_FUNCTION_TANH:
      return tanh(x);
    case ET_CPU_ACTIVATION_FUNCTION_HARDSIGMOID:
      return fmin(fmax(x + 3, 0), 6) / 6;
    case ET_CPU_ACTIVATION_FUNCTION_LEAKY_RELU:
      return x > 0 ? x : x * (double)activation->low;
    case ET_CPU_ACTIVATION_FUNCTION_ELU:
      return x > 0 ? x : (double)activation->low * expm1(x);
    default:
      return x;
  }
}

/* Fills `values` with small and large magnitudes. Points are denser where the functions are
 * curved. */
static void fill(float *values) {
  for (size_t i = 0; i < COUNT; i++) {
    const float t = 2.0f * (float)i / (COUNT - 1) - 1.0f;
    values[i] = i % 3 == 0   ? 100.0f * t
                : i % 3 == 1 ? 6.0f * t
                             : 1e-3f * t * t * t;
  }
}

/* Returns the tolerance. It is relative, or absolute where the result is much smaller than x. */
static double margin(const et_cpu_activation *activation, double x,
                     double expected) {
  const int vanishes =
      activation->function == ET_CPU_ACTIVATION_FUNCTION_GELU ||
      activation->function == ET_CPU_ACTIVATION_FUNCTION_GELU_TANH;
  /* e^x is flushed to 0 if it would be subnormal. */
  const double denormal = 1.2e-38 * (1 + fabs(x));
  return denormal + 4e-7 * fabs(expected) +
         (vanishes && x < 0 ? 3e-7 * fabs(x) : 0);
}

static void check_variant(et_cpu_isa isa, const et_cpu_activation *activation,
                          const float *x, float *y) {
  memcpy(y, x, COUNT * sizeof(float));
  variants[isa](activation, y, COUNT, 1, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    const double expected = reference(activation, (double)x[i]);
    const double off = fabs((double)y[i] - expected);
    if (!(off <= margin(activation, (double)x[i], expected))) {
      fail_msg("isa %d, activation %d of %.9g: %.9g, expected %.9g", (int)isa,
               (int)activation->function, (double)x[i], (double)y[i], expected);
    }
  }
}

static void test_every_activation_is_close_to_its_definition(void **state) {
  (void)state;
  float *x = malloc(COUNT * sizeof(float));
  float *y = malloc(COUNT * sizeof(float));
  float *same = malloc(COUNT * sizeof(float));
  fill(x);
  for (uint32_t kind = 0; kind <= ET_CPU_ACTIVATION_FUNCTION_ELU; kind++) {
    const et_cpu_activation activation = {kind, 0.3f, 0.8f};
    int before = ET_CPU_ISA_COUNT; /* none */
    for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
      if (et_cpu_isa_available((et_cpu_isa)isa)) {
        check_variant((et_cpu_isa)isa, &activation, x, y);
        if (before < isa &&
            et_test_rounds_twice(before) == et_test_rounds_twice(isa)) {
          assert_memory_equal(same, y, COUNT * sizeof(float));
        }
        memcpy(same, y, COUNT * sizeof(float));
        before = isa;
      }
    }
  }
  free(x);
  free(y);
  free(same);
}

static void test_nan_and_infinities(void **state) {
  (void)state;
  for (uint32_t kind = 1; kind <= ET_CPU_ACTIVATION_FUNCTION_ELU; kind++) {
    const et_cpu_activation activation = {kind, 0.3f, 0.8f};
    for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
      if (et_cpu_isa_available((et_cpu_isa)isa)) {
        float values[3] = {NAN, INFINITY, 100.0f};
        variants[isa](&activation, values, 3, 1, 3);
        assert_true(isnan(values[0]));
        assert_true((double)values[1] == reference(&activation, INFINITY));
      }
    }
  }
}

static void test_writes_only_the_given_columns(void **state) {
  (void)state;
  const et_cpu_activation activation = {ET_CPU_ACTIVATION_FUNCTION_CLAMP, 1.0f,
                                        1.0f};
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      float values[60] = {0};
      variants[isa](&activation, values, 20, 0, 20); /* no rows */
      variants[isa](&activation, values, 20, 3, 19);
      for (size_t i = 0; i < 60; i++) {
        assert_true(values[i] == (i % 20 == 19 ? 0.0f : 1.0f));
      }
    }
  }
}

#define ROWS 3
#define COLUMNS 37

/* Compares one call for all rows with one call per row. */
static void check_rows(et_cpu_isa isa, const et_cpu_activation *activation,
                       size_t stride) {
  float rows[ROWS * (COLUMNS + 8)];
  float apart[ROWS * (COLUMNS + 8)];
  for (size_t i = 0; i < ROWS * stride; i++) {
    rows[i] = apart[i] = 0.13f * (float)i - 7.0f;
  }
  variants[isa](activation, rows, stride, ROWS, COLUMNS);
  for (size_t r = 0; r < ROWS; r++) {
    variants[isa](activation, apart + r * stride, COLUMNS, 1, COLUMNS);
  }
  assert_memory_equal(rows, apart, ROWS * stride * sizeof(float));
}

static void test_rows_equal_separate_calls(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind <= ET_CPU_ACTIVATION_FUNCTION_ELU; kind++) {
    const et_cpu_activation activation = {kind, 0.3f, 0.8f};
    for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
      if (et_cpu_isa_available((et_cpu_isa)isa)) {
        check_rows((et_cpu_isa)isa, &activation, COLUMNS);
        check_rows((et_cpu_isa)isa, &activation, COLUMNS + 8);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_activation_is_close_to_its_definition),
      cmocka_unit_test(test_nan_and_infinities),
      cmocka_unit_test(test_writes_only_the_given_columns),
      cmocka_unit_test(test_rows_equal_separate_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
