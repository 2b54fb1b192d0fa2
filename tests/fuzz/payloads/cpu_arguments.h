/* Arguments for payloads of the CPU backend. */
#ifndef ET_TESTS_FUZZ_PAYLOADS_CPU_ARGUMENTS_H_
#define ET_TESTS_FUZZ_PAYLOADS_CPU_ARGUMENTS_H_

#include "backends/cpu/runtime/payload.h"
#include "tests/fuzz/payloads/delegate_run.h"

#define ET_CPU_ARGUMENT_DIMS 512 /* maximum number of dims */

/* Sets arguments with the dtypes, orders and sizes that the payload declares. In the first call,
 * dims are at their maxima. In the second, those that depend on the call are random. */
void et_cpu_describe_arguments(const et_cpu_payload *payload, et_random *random,
                               et_run *run);

#endif /* ET_TESTS_FUZZ_PAYLOADS_CPU_ARGUMENTS_H_ */
