/* ET_NOINLINE prevents inlining of a function.
 *
 * Its callers then have smaller stack frames, which shorter instructions can
 * address. */
#ifndef ET_RUNTIME_CORE_NOINLINE_H_
#define ET_RUNTIME_CORE_NOINLINE_H_

/* ET_INTEGERS is for variadic functions without floating-point arguments. It
 * avoids saving the floating-point registers on entry. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define ET_INTEGERS __attribute__((target("general-regs-only")))
#else
#define ET_INTEGERS
#endif

#if defined(__GNUC__)
#define ET_NOINLINE __attribute__((noinline))
#else
#define ET_NOINLINE
#endif

#endif /* ET_RUNTIME_CORE_NOINLINE_H_ */
