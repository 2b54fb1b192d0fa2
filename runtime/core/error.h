/* Errors of the core: invalid programs, chained errors, and descriptions of
 * codes. */
#ifndef ET_RUNTIME_CORE_ERROR_H_
#define ET_RUNTIME_CORE_ERROR_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ET_HAS_MESSAGES is 0 in builds with codes, which skip look-ups needed only
 * for messages. ET_MESSAGE_TEXT is a text argument for a message; it is NULL in
 * builds with codes. */
#ifdef ET_MESSAGES_CODES
#define ET_HAS_MESSAGES 0
#define ET_MESSAGE_TEXT(text) ((const char *)NULL)
#else
#define ET_HAS_MESSAGES 1
#define ET_MESSAGE_TEXT(text) (text)
#endif

/* Like et_fail, but returns the length of the message, or 0 if `error` already
 * has one. */
size_t et_fail_args(et_error *error, et_status status, const char *format,
                    va_list *args);

/* et_fail with INVALID_PROGRAM, the most common status in the core. */
et_status et_fail_program(et_error *error, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

et_status et_fail_code_program(et_error *error, uint32_t place, uint32_t index);

/* et_fail_within(error, status, format, ...) puts a location before the message
 * that `error` already has, and returns the status. Does nothing in builds
 * with codes. */

/* Appends to the message of `error`. Does nothing without an error, or in
 * builds with codes. */
void et_error_append(et_error *error, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Appends "; REMEDY" to the message of `error` unless it has a remedy; returns
 * `status`, the error's status. Does nothing in builds with codes. */
et_status et_advise(et_error *error, et_status status, const char *remedy);

/* et_advise with the remedy for the status of a failed load. */
et_status et_advise_load(et_error *error, et_status status);

/* Records an error that was caused by another error, its reason.
 *
 * The message is the format, which states the location, followed by the
 * reason's message, or by the description of `status` if the reason has none.
 * If `reason` is NULL, the reason is the current content of `error`. In builds
 * with codes, the message is the reason's, if it has one. */
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
#define et_error_append(error, ...) \
  ((void)sizeof((et_error_append)((error), __VA_ARGS__), 0))
#define et_advise(error, status, remedy) ((void)(error), (status))
#define et_advise_load(error, status) ((void)(error), (status))
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

/* A list of codes and texts.
 *
 * `texts` contains the NUL-terminated texts of all codes, concatenated,
 * followed by the text for unknown codes. Both arrays are static. */
typedef struct et_coded_texts {
  const uint8_t *codes;
  size_t count;
  const char *texts;
} et_coded_texts;

/* Returns the text of `code`. O(count). */
const char *et_coded_text(const et_coded_texts *list, int32_t code);

#endif /* ET_RUNTIME_CORE_ERROR_H_ */
