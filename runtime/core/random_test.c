#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "executorch/random.h"

/* Reference values from the published algorithms. */
static void test_seeds_give_published_values(void **state) {
  (void)state;
  et_random random = et_random_seeded(0);
  assert_true(random.state[0] == UINT64_C(0xe220a8397b1dcdaf));
  assert_true(et_random_next(&random) == UINT64_C(0x53175d61490b23df));
  assert_true(et_random_next(&random) == UINT64_C(0x61da6f3dc380d507));
  assert_true(et_random_next(&random) == UINT64_C(0x5c0fdf91ec9a7bfc));
  random = et_random_seeded(42);
  assert_true(et_random_next(&random) == UINT64_C(0xd0764d4f4476689f));
}

static void test_equal_generator_states_continue_equally(void **state) {
  (void)state;
  et_random first = et_random_seeded(UINT64_MAX);
  et_random second = first;
  for (int i = 0; i < 100; i++) {
    assert_true(et_random_next(&first) == et_random_next(&second));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_seeds_give_published_values),
      cmocka_unit_test(test_equal_generator_states_continue_equally),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
