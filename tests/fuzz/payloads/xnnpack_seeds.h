/* Seeds for the XNNPACK backend: payloads in which every scalar field is present. */
#ifndef ET_TESTS_FUZZ_PAYLOADS_XNNPACK_SEEDS_H_
#define ET_TESTS_FUZZ_PAYLOADS_XNNPACK_SEEDS_H_

#include "tests/fuzz/payloads/target.h"

/* The position of the flatbuffer in the payload of a seed. */
#define ET_XNN_SEED_FLATBUFFER 32u

/* Returns the flatbuffer of a seed's payload. */
et_span et_xnn_seed_flatbuffer(et_span payload);

/* Appends each payload in the file once for each kind of its nodes, and once
 * for kind 0, the graph. The file is a program, or a sequence of payloads at
 * multiples of 4 bytes.
 *
 * Payloads are rewritten, so that absent scalars become fields with the default
 * value, which can be changed in place. Vectors have space for one more
 * element. */
void et_xnn_add_seeds(et_span file, et_seeds *seeds);

#endif /* ET_TESTS_FUZZ_PAYLOADS_XNNPACK_SEEDS_H_ */
