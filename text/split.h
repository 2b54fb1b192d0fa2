/* Pre-tokenization: splits text into the words that byte-pair tokenizers encode separately. */
#ifndef ET_TEXT_SPLIT_H_
#define ET_TEXT_SPLIT_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/text/bpe.h"
#include "text/cursor.h"

/* Returns the end of the piece that starts at the cursor, which is before `end`. The piece is a match
 * of splitter number `number`, or the text before the next match. */
size_t et_text_piece_end(const et_bpe_pretokenizer *pretokenizer,
                         uint32_t number, const et_text_cursor *cursor,
                         size_t end);

#endif /* ET_TEXT_SPLIT_H_ */
