/* et_fail and related functions with packed messages, for sources of the core.
 *
 * At build time, runtime/packing/write.py collects and packs the texts of all
 * sources that include this header. In the program, such a text is a number
 * below ET_PACKED_COUNT in a pointer, an address range without objects.
 * et_format_args accepts it as the format and as an argument of %s; no other
 * code may read it. The table is in every program. Optional features, such as
 * delegates, therefore keep their texts plain.
 *
 * ET_SAYS(text) is a text that is passed on for use in messages, and NULL with
 * reduced messages. */
#ifndef ET_RUNTIME_CORE_PACKING_H_
#define ET_RUNTIME_CORE_PACKING_H_

#include <stdint.h>

#include "runtime/core/format.h"
#include "runtime/core/reason.h"

#if !defined(ET_MESSAGES_CODES) && defined(__GNUC__)
#define ET_PACKS 1
#else
#define ET_PACKS 0
#endif

#if ET_PACKS
#include "runtime/core/packed_ids.h"

/* The number of a literal, or 0 if the table does not have it. A compile-time
 * constant. */
#define ET_PACKED_IF(text, known, number) \
  (number) * (__builtin_strcmp((text), (known)) == 0) +
#define ET_PACKED_TEXT(number) ((const char *)(uintptr_t)(number))

/* Returns the packed text if it exists. The compiler checks `text` as a
 * format. */
__attribute__((always_inline, format_arg(1))) static inline const char *
et_packed_or(const char *text, uintptr_t number) {
  return number != 0 ? ET_PACKED_TEXT(number) : text;
}
#define ET_PACKED(text) et_packed_or("" text, ET_PACKED_NUMBER("" text))

#define ET_PACKED_ALONE(format) ET_PACKED(format)
#define ET_PACKED_FIRST(format, ...) ET_PACKED(format), __VA_ARGS__
/* A packed format, followed by unchanged arguments. */
#define ET_PACKED_CHOICE(a, b, c, d, e, f, g, h, i, j, chosen, ...) chosen
#define ET_PACKED_FORMAT(...)                                         \
  ET_PACKED_CHOICE(__VA_ARGS__, ET_PACKED_FIRST, ET_PACKED_FIRST,     \
                   ET_PACKED_FIRST, ET_PACKED_FIRST, ET_PACKED_FIRST, \
                   ET_PACKED_FIRST, ET_PACKED_FIRST, ET_PACKED_FIRST, \
                   ET_PACKED_FIRST, ET_PACKED_ALONE, 0)               \
  (__VA_ARGS__)

#undef ET_SAYS
#define ET_SAYS(text) ET_PACKED(text)

#undef et_fail
#define et_fail(error, status, ...)                                      \
  et_failed((et_fail)((error), (status), ET_PACKED_FORMAT(__VA_ARGS__)), \
            ET_IS_FAILURE(status))
#undef et_fail_program
#define et_fail_program(error, ...) \
  et_failed((et_fail_program)((error), ET_PACKED_FORMAT(__VA_ARGS__)), 1)
#undef et_fail_because
#define et_fail_because(error, status, reason, ...) \
  (et_fail_because)((error), (status), (reason), ET_PACKED_FORMAT(__VA_ARGS__))
#undef et_tell_more
#define et_tell_more(error, ...) \
  (et_tell_more)((error), ET_PACKED_FORMAT(__VA_ARGS__))

#endif
#endif /* ET_RUNTIME_CORE_PACKING_H_ */
