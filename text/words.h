/* Word boundaries for byte-pair tokenizers. */
#ifndef ET_TEXT_WORDS_H_
#define ET_TEXT_WORDS_H_

#include <stddef.h>

#include "executorch/text/byte_pairs.h"

/* Returns the end of the word that starts at text[at]; at < size. */
size_t et_text_word_end(const et_byte_pair_words *rules, const char *text,
                        size_t size, size_t at);

/* Returns the position of the first digit in text[at .. size), or `size`. Sets *behind to the
 * position after the digit. */
size_t et_text_next_digit(const char *text, size_t size, size_t at,
                          size_t *behind);

#endif /* ET_TEXT_WORDS_H_ */
