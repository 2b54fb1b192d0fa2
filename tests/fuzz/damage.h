/* Mutates a valid program. */
#ifndef ET_TESTS_FUZZ_DAMAGE_H_
#define ET_TESTS_FUZZ_DAMAGE_H_

#include "executorch/span.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/sites.h"

/* Changes a few values, mostly to the value of another site of the kind or to a boundary
 * value; sometimes any byte. */
void et_damage(et_random *random, const et_site *sites, size_t count,
               et_mutable_span program);

#endif /* ET_TESTS_FUZZ_DAMAGE_H_ */
