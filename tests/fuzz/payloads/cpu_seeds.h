/* Seeds for the CPU backend: payloads of programs, and a payload for each of
 * their ops. */
#ifndef ET_TESTS_FUZZ_PAYLOADS_CPU_SEEDS_H_
#define ET_TESTS_FUZZ_PAYLOADS_CPU_SEEDS_H_

#include "backends/cpu/runtime/payload.h"
#include "tests/fuzz/payloads/target.h"

/* Returns the index of the op in et_cpu_all_op_fields, or et_cpu_op_fields_count if the
 * op is unknown. */
size_t et_cpu_kind_of(uint32_t code);

/* Appends the program's payloads, with kind `et_cpu_op_fields_count`, and a
 * one-op payload for each different op in them, with the op's kind. A one-op
 * payload has constant dims. Its inputs are the op's inputs; the contents of
 * named data are preserved. States remain states. */
void et_cpu_add_seeds(et_span program, et_seeds *seeds);

#endif /* ET_TESTS_FUZZ_PAYLOADS_CPU_SEEDS_H_ */
