/* Compares byte owners with an array that has one owner for each byte. */
#include "runtime/method/intervals.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>

#define BYTES 40
#define RANGES 12
#define BASE 1000 /* an address */

typedef struct range {
  size_t begin;
  size_t end;
} range;

/* Reproducible pseudorandom values. */
static uint32_t seed = 1;

static size_t below(size_t limit) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % limit;
}

static range any_range(void) {
  const size_t begin = below(BYTES);
  const range found = {begin, begin + 1 + below(BYTES - begin)};
  return found;
}

/* The map under test, and the expected owners. */
typedef struct fixture {
  et_intervals map;
  range ranges[RANGES];
  uint32_t owners[BYTES];
} fixture;

/* Allocates exactly the memory that intervals.h requires, for sanitizers. */
static void start(fixture *f) {
  f->map.edges = malloc(2 * RANGES * sizeof *f->map.edges);
  f->map.owners = malloc(4 * RANGES * sizeof *f->map.owners);
  f->map.edge_count = 0;
  for (size_t i = 0; i < RANGES; i++) {
    f->ranges[i] = any_range();
    et_intervals_add(&f->map, BASE + f->ranges[i].begin,
                     BASE + f->ranges[i].end);
  }
  et_intervals_start(&f->map);
  for (size_t i = 0; i < BYTES; i++) {
    f->owners[i] = ET_NO_OWNER;
  }
}

static void assign(fixture *f, const range *r, uint32_t owner) {
  et_intervals_assign(&f->map, BASE + r->begin, BASE + r->end, owner);
  for (size_t i = r->begin; i < r->end; i++) {
    f->owners[i] = owner;
  }
}

static uint32_t first_other(const fixture *f, const range *r, uint32_t owner) {
  for (size_t i = r->begin; i < r->end; i++) {
    if (f->owners[i] != owner) {
      return f->owners[i];
    }
  }
  return owner;
}

/* Computes the result that intervals.h specifies, byte by byte. */
static bool expected_owner(const fixture *f, const range *r, uint32_t wanted,
                           uint32_t *out_owner) {
  const uint32_t first = f->owners[r->begin];
  const uint32_t other = first_other(f, r, wanted);
  *out_owner = other == ET_NO_OWNER ? first_other(f, r, ET_NO_OWNER) : other;
  if (first_other(f, r, first) == first) {
    *out_owner = first;
    return true;
  }
  return false;
}

static void expect_same_owners(const fixture *f, uint32_t wanted) {
  for (size_t i = 0; i < RANGES; i++) {
    const range *r = &f->ranges[i];
    uint32_t expected = 0;
    uint32_t found = 0;
    const bool is_one = expected_owner(f, r, wanted, &expected);
    assert_int_equal(et_intervals_owner(&f->map, BASE + r->begin, BASE + r->end,
                                        wanted, &found),
                     is_one);
    assert_int_equal(found, expected);
  }
}

static void test_byte_owners_match_a_plain_array(void **state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    fixture f;
    start(&f);
    expect_same_owners(&f, 0);
    for (uint32_t step = 0; step < 30; step++) {
      assign(&f, &f.ranges[below(RANGES)], (uint32_t)below(4));
      expect_same_owners(&f, (uint32_t)below(4));
    }
    free(f.map.edges);
    free(f.map.owners);
  }
}

static void test_empty_intervals_need_no_memory(void **state) {
  (void)state;
  et_intervals map = {NULL, NULL, 0};
  et_intervals_start(&map);
  assert_int_equal(map.edge_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_byte_owners_match_a_plain_array),
      cmocka_unit_test(test_empty_intervals_need_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
