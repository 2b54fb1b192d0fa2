/* Characters and their bytes. */
#ifndef ET_TEXT_UTF8_H_
#define ET_TEXT_UTF8_H_

#include <stddef.h>
#include <stdint.h>

#define ET_TEXT_REPLACEMENT 0xfffdu
#define ET_TEXT_UTF8_MAX 4

/* Reads the character that starts at text[*at] and moves *at behind it. Bytes that are no
 * UTF-8 are U+FFFD, as many as could have begun one character. */
uint32_t et_text_decode(const char *text, size_t size, size_t *at);

/* Writes at most ET_TEXT_UTF8_MAX bytes and returns how many. */
size_t et_text_encode(uint32_t point, char *out);

#endif /* ET_TEXT_UTF8_H_ */
