/* Bounds that this runtime sets where the file format sets none. A program that
 * goes over one is refused when it is loaded, before time or memory is
 * spent. */
#ifndef ET_RUNTIME_CORE_LIMITS_H_
#define ET_RUNTIME_CORE_LIMITS_H_

/* Methods of a program. */
#define ET_LIMIT_METHODS 1024

/* Bytes of the name of a method, an operator, a backend or a data key. */
#define ET_LIMIT_NAME_BYTES 255

/* Segments or named data of a file, when they do not lie in order: by their
 * place, and by length and bytes of their keys. Two bytes of stack each while they
 * are sorted; those that lie in order have no limit but the file's size. */
#define ET_LIMIT_UNSORTED 4096

/* Values of a method. Room for 100,000 calls, each with a few numbers; loading takes
 * some 5 us a value. */
#define ET_LIMIT_VALUES (1u << 20)

/* Instructions of a method. */
#define ET_LIMIT_INSTRUCTIONS (1u << 20)

/* Compile specs of one delegate. */
#define ET_LIMIT_COMPILE_SPECS 32

/* Arguments of one kernel or delegate call. */
#define ET_LIMIT_CALL_ARGS 1024

/* Values that one call of a prepared kernel may have, the items of its lists
 * counted, and how many of them may be tensors: they lie on the stack while the
 * kernel's `prepare` looks at them. */
#define ET_LIMIT_PREPARED_VALUES 64
#define ET_LIMIT_PREPARED_TENSORS 16

/* Operands of all calls of a method, the items of lists counted each time that
 * a call names the list. */
#define ET_LIMIT_OPERANDS (1u << 24)

/* Steps of the check of the memory plan: instructions and operands looked at; a
 * loop is walked again for each of its jumps. Seconds at most. */
#define ET_LIMIT_PLAN_STEPS (UINT32_C(1) << 24)

#endif /* ET_RUNTIME_CORE_LIMITS_H_ */
