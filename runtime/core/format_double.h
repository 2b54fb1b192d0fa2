/* Writing a double without stdio. */
#ifndef ET_RUNTIME_CORE_FORMAT_DOUBLE_H_
#define ET_RUNTIME_CORE_FORMAT_DOUBLE_H_

#include <stddef.h>

/* Room for the longest, "-1.23457e-308". */
#define ET_FORMAT_DOUBLE_BYTES 16

/* Writes `number` as %g of printf does, in six significant digits, without a NUL,
 * and returns the length. */
size_t et_format_double(char text[ET_FORMAT_DOUBLE_BYTES], double number);

#endif /* ET_RUNTIME_CORE_FORMAT_DOUBLE_H_ */
