/* Writes programs that test the memory plan check.
 *
 * All tensors have four floats; place n is at offset 16 * n. */
#ifndef ET_RUNTIME_TESTING_PLAN_WRITER_H_
#define ET_RUNTIME_TESTING_PLAN_WRITER_H_

#include <stdint.h>

#include "runtime/testing/program_test_support.h"

extern et_program_writer et_plan_writer;

/* Starts a program. Its input is values[0], at place 0. */
int32_t et_plan_start(void);

/* Add a tensor and return its index, or add a call. */
int32_t et_plan_tensor(int32_t place);
void et_plan_copy(int32_t from, int32_t to);
void et_plan_add(int32_t a, int32_t b, int32_t out);

/* Assert that the program is rejected with a message that contains `part`, or
 * is accepted. */
void et_plan_refused(const char *part);
void et_plan_accepted(void);

#endif /* ET_RUNTIME_TESTING_PLAN_WRITER_H_ */
