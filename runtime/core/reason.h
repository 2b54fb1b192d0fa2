/* Failures of programs, and failures that another one is the reason of. */
#ifndef ET_RUNTIME_CORE_REASON_H_
#define ET_RUNTIME_CORE_REASON_H_

#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* et_fail, but that it returns the length of the message: 0 when an earlier one is
 * there. */
size_t et_fail_args(et_error *error, et_status status, const char *format,
                    va_list *args);

/* et_fail with INVALID_PROGRAM, which most failures of the core are. */
et_status et_fail_program(et_error *error, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

et_status et_fail_code_program(et_error *error, uint32_t place, uint32_t index);

/* et_fail_within(error, status, format, ...) puts where it happened before the message of
 * the failure that `error` has, and gives back its status. Nothing where messages are
 * reduced to codes. */

/* Appends to the message of the failure that `error` has. Nothing without an error, or
 * where messages are reduced to codes. */
void et_tell_more(et_error *error, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* et_fail with a message that ends in the reason's: the format, which says where that
 * happened, comes before it. A reason without a message gives the sentence of `status`,
 * and NULL is what `error` has.
 * Where messages are reduced to codes it is the reason's, if that has one. */
et_status et_fail_because(et_error *error, et_status status,
                          const et_error *reason, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

et_status et_fail_code_because(et_error *error, et_status status,
                               const et_error *reason, uint32_t place,
                               uint32_t index);

#if defined(ET_MESSAGES_CODES) && !defined(__cplusplus)
#define et_tell_more(error, ...) \
  ((void)sizeof((et_tell_more)((error), __VA_ARGS__), 0))
#define et_fail_within(error, status, ...)                                \
  ((void)sizeof((et_fail_because)((error), (status), NULL, __VA_ARGS__)), \
   (status))
#define et_fail_program(error, ...)                                   \
  ((void)sizeof((et_fail_program)((error), __VA_ARGS__)),             \
   et_failed(et_fail_code_program((error), ET_PLACE,                  \
                                  ET_FIRST_INDEX(__VA_ARGS__, 0, 0)), \
             1))
#define et_fail_because(error, status, reason, ...)                           \
  ((void)sizeof((et_fail_because)((error), (status), (reason), __VA_ARGS__)), \
   et_fail_code_because((error), (status), (reason), ET_PLACE,                \
                        ET_FIRST_INDEX(__VA_ARGS__, 0, 0)))
#elif !defined(__cplusplus)
#define et_fail_within(error, status, ...) \
  et_fail_because((error), (status), NULL, __VA_ARGS__)
#define et_fail_program(...) et_failed((et_fail_program)(__VA_ARGS__), 1)
#endif

#ifdef __cplusplus
}
#endif
#endif /* ET_RUNTIME_CORE_REASON_H_ */
