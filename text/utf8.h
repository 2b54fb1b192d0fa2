/* Decoding and encoding of UTF-8. */
#ifndef ET_TEXT_UTF8_H_
#define ET_TEXT_UTF8_H_

#include <stddef.h>
#include <stdint.h>

#define ET_TEXT_REPLACEMENT 0xfffdu
#define ET_TEXT_UTF8_MAX 4
#define ET_TEXT_SPACE_MARK 0x2581u /* a space in names of tokens */

/* Returns the character at text[*at] and advances *at past it. Each maximal
 * prefix of a valid character in invalid UTF-8 becomes one U+FFFD. */
uint32_t et_text_decode(const char *text, size_t size, size_t *at);

/* Writes a character, at most ET_TEXT_UTF8_MAX bytes. Returns the number of bytes. */
size_t et_text_encode(uint32_t point, char *out);

#endif /* ET_TEXT_UTF8_H_ */
