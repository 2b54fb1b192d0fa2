/* Programs that test the check of memory plans: tensors of four floats, each in a
 * place of 16 bytes. */
#ifndef ET_RUNTIME_TESTING_PLAN_WRITER_H_
#define ET_RUNTIME_TESTING_PLAN_WRITER_H_

#include <stdint.h>

#include "runtime/testing/program_test_support.h"

extern et_program_writer et_plan_writer;

/* Begins a program; its input, values[0], lies at place 0. */
int32_t et_plan_start(void);

/* Each gives the number of a value, or adds a call. */
int32_t et_plan_tensor(int32_t place);
void et_plan_copy(int32_t from, int32_t to);
void et_plan_add(int32_t a, int32_t b, int32_t out);

/* That the program is refused with a message that has `part`, or accepted. */
void et_plan_refused(const char *part);
void et_plan_accepted(void);

#endif /* ET_RUNTIME_TESTING_PLAN_WRITER_H_ */
