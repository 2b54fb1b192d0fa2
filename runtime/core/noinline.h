/* Functions that stay out of their callers: those then have small frames, which take less
 * stack, and which machines address in fewer bytes. */
#ifndef ET_RUNTIME_CORE_NOINLINE_H_
#define ET_RUNTIME_CORE_NOINLINE_H_

/* Functions with a variable number of arguments, of which none is a float: they need not
 * put the registers of floats into memory when they begin. */
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
