/* Where words of text end. */
#ifndef ET_TEXT_WORDS_H_
#define ET_TEXT_WORDS_H_

#include <stddef.h>

#include "executorch/text/byte_pairs.h"

/* The end of the word of text[at .. size) that begins at `at`, which is not `size`. */
size_t et_text_word_end(const et_byte_pair_words *rules, const char *text,
                        size_t size, size_t at);

/* The first digit of text[at .. size), or `size`; `*behind` is what follows it. */
size_t et_text_next_digit(const char *text, size_t size, size_t at,
                          size_t *behind);

#endif /* ET_TEXT_WORDS_H_ */
