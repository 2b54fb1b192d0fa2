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

/* et_format for what only messages say: nothing where these are reduced to codes. ET_TELLS
 * is 0 then, for what is looked up for messages, and ET_SAYS is NULL, for texts that
 * functions are told for them. */
#ifdef ET_MESSAGES_CODES
#define ET_TELLS 0
#define ET_SAYS(text) NULL
#define et_describe(text, size, ...)                                       \
  ((void)sizeof(et_format((text), (size), __VA_ARGS__)), (text)[0] = '\0', \
   (size_t)0)
#else
#define ET_TELLS 1
#define ET_SAYS(text) (text)
#define et_describe et_format
#endif

size_t et_format_args(char *text, size_t size, const char *format,
                      va_list *args);

#ifdef __cplusplus
}
#endif
#endif /* ET_RUNTIME_CORE_FORMAT_H_ */
