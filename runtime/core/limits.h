/* Limits of this runtime that the file format does not have.
 *
 * Programs that exceed a limit are rejected before the loader spends time or
 * memory on them. */
#ifndef ET_RUNTIME_CORE_LIMITS_H_
#define ET_RUNTIME_CORE_LIMITS_H_

/* Methods per program. */
#define ET_LIMIT_METHODS 1024

/* Bytes in the name of a method, operator, backend or data key. */
#define ET_LIMIT_NAME_BYTES 255

/* Maximum entries of an unsorted table: segments (by offset) or named data (by
 * key). Sorting takes two bytes of stack for each entry. Sorted tables are
 * limited only by the file's size. */
#define ET_LIMIT_UNSORTED 4096

/* Values per method: enough for 100,000 calls with a few scalars each. Loading
 * takes about 5 us per value. */
#define ET_LIMIT_VALUES (1u << 20)

/* Instructions per method. */
#define ET_LIMIT_INSTRUCTIONS (1u << 20)

/* Compile specs per delegate. */
#define ET_LIMIT_COMPILE_SPECS 32

/* Arguments per kernel or delegate call. */
#define ET_LIMIT_CALL_ARGS 1024

/* Values per call of a kernel with `prepare`, including list items, and the
 * tensors among them. They are on the stack during `prepare`. */
#define ET_LIMIT_PREPARED_VALUES 64
#define ET_LIMIT_PREPARED_TENSORS 16

/* Operands per method, over all calls. The items of a list count once for each
 * call that uses the list. */
#define ET_LIMIT_OPERANDS (1u << 24)

/* Steps of the memory plan check: instructions and operands visited. A loop is
 * visited again for each of its backward jumps. Reaching the limit takes
 * seconds. */
#define ET_LIMIT_PLAN_STEPS (UINT32_C(1) << 24)

#endif /* ET_RUNTIME_CORE_LIMITS_H_ */
