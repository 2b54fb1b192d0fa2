/* Functions that stay out of their callers: those then have small frames, which take less
 * stack, and which machines address in fewer bytes. */
#ifndef ET_RUNTIME_CORE_NOINLINE_H_
#define ET_RUNTIME_CORE_NOINLINE_H_

#if defined(__GNUC__)
#define ET_NOINLINE __attribute__((noinline))
#else
#define ET_NOINLINE
#endif

#endif /* ET_RUNTIME_CORE_NOINLINE_H_ */
