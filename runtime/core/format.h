/* Formats short messages without stdio. */
#ifndef ET_RUNTIME_CORE_FORMAT_H_
#define ET_RUNTIME_CORE_FORMAT_H_

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Formats a message into `text`, with at most `size` > 0 bytes including the
 * NUL. Returns its length.
 *
 * A longer message is truncated at a UTF-8 boundary. The conversions are those
 * of et_fail. */
size_t et_format(char *text, size_t size, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

size_t et_format_args(char *text, size_t size, const char *format,
                      va_list *args);

#ifdef __cplusplus
}
#endif
#endif /* ET_RUNTIME_CORE_FORMAT_H_ */
