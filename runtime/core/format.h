/* Writing short texts without stdio. */
#ifndef ET_RUNTIME_CORE_FORMAT_H_
#define ET_RUNTIME_CORE_FORMAT_H_

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the message at `text`, at most `size` > 0 bytes with its NUL, and
 * returns its length. What does not fit is cut at a whole UTF-8 character. The
 * formats are those of et_fail. */
size_t et_format(char *text, size_t size, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Where messages are reduced to codes, ET_TELLS is 0, for what is looked up for messages,
 * and ET_SAYS is NULL, for texts that functions are told for them. */
#ifdef ET_MESSAGES_CODES
#define ET_TELLS 0
#define ET_SAYS(text) ((const char *)NULL)
#else
#define ET_TELLS 1
#define ET_SAYS(text) (text)
#endif

size_t et_format_args(char *text, size_t size, const char *format,
                      va_list *args);

#ifdef __cplusplus
}
#endif
#endif /* ET_RUNTIME_CORE_FORMAT_H_ */
