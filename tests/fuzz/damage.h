/* Changes to a valid program. */
#ifndef ET_TESTS_FUZZ_DAMAGE_H_
#define ET_TESTS_FUZZ_DAMAGE_H_

#include "executorch/span.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/sites.h"

/* Changes a few numbers, mostly to what another of their kind has or to values
 * at the edge of what is allowed; now and then any byte. */
void et_damage(et_random *random, const et_site *sites, size_t count,
               et_mutable_span program);

#endif /* ET_TESTS_FUZZ_DAMAGE_H_ */
