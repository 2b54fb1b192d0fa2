/* Fixture for tests of the runtime. It writes, loads and calls payloads, and provides some sample
 * payloads. */
#ifndef BACKENDS_CPU_RUNTIME_TESTING_CPU_FIXTURE_H_
#define BACKENDS_CPU_RUNTIME_TESTING_CPU_FIXTURE_H_

#include "backends/cpu/runtime/testing/cpu_session.h"

#define CPU_TEST_ARGS 4

typedef struct cpu_fixture {
  cpu_writer writer;
  cpu_session session;
  cpu_sample samples[CPU_TEST_ARGS]; /* [2, 3] */
  et_value number;
  et_value *args[CPU_TEST_ARGS]; /* &samples[i].value */
} cpu_fixture;

extern cpu_fixture cpu_test;

/* Defines a test that starts with a fresh fixture. */
#define CPU_TEST(name) \
  cmocka_unit_test_setup_teardown(name, cpu_test_start, cpu_test_finish)

int cpu_test_start(void **state);
int cpu_test_finish(void **state);

/* cpu_test_load() loads the writer's payload. cpu_test_call() calls it with the first `count`
 * args. */
et_status cpu_test_load(void);
et_status cpu_test_call(size_t count);
void cpu_test_must_load(void);
void cpu_test_must_call(size_t count);

/* Expect loading or a call to fail with this message. */
void cpu_test_expect_refused(const char *message);
void cpu_test_expect_call_refused(size_t count, const char *message);

/* Writes y = x + 5 + 5 for tensors of these dims, with the intermediate result
 * in 64 bytes of scratch. */
void cpu_test_write_shifts(const uint32_t *dims, uint32_t rank);

/* Writes cpu_test_write_shifts() for [2, 3]. */
void cpu_test_write_static(void);

/* Dims of cpu_test_write_dynamic(): rows, columns and rows * columns. */
enum { CPU_TEST_ROWS, CPU_TEST_COLUMNS, CPU_TEST_NUMEL };

/* Writes y = x + 5 for [n, 3], n <= 5, through a view with n * 3 elements. */
void cpu_test_write_dynamic(void);

/* Writes total += 5; y = total + 1, for [2, 3]. */
void cpu_test_write_stateful(void);

#endif /* BACKENDS_CPU_RUNTIME_TESTING_CPU_FIXTURE_H_ */
