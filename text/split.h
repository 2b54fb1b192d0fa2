/* Pre-tokenization: splits text into the words that byte-pair tokenizers encode separately. */
#ifndef ET_TEXT_SPLIT_H_
#define ET_TEXT_SPLIT_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/text/bpe.h"

/* Returns the end of the piece that starts at text[at]; at < size. The piece is a match of
 * splitter number `number`, or the text before the next match. */
size_t et_text_piece_end(const et_bpe_pretokenizer *pretokenizer,
                         uint32_t number, const char *text, size_t size,
                         size_t at);

#endif /* ET_TEXT_SPLIT_H_ */
