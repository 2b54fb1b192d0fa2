/* The text of an answer: whole characters, up to a stop string. */
#ifndef ET_LLM_ANSWER_TEXT_H_
#define ET_LLM_ANSWER_TEXT_H_

#include <stdbool.h>
#include <stddef.h>

#include "executorch/text/utf8_stream.h"

/* Text that may be the start of a stop string is held back. */
typedef struct llm_answer_text {
  et_utf8_stream characters;
  char *bytes;     /* returned text, then held text */
  size_t returned; /* bytes that the latest call returned */
  size_t size;
  const char *const *stops; /* not empty strings */
  size_t stop_count;
} llm_answer_text;

/* Bytes that `bytes` needs. */
#define LLM_ANSWER_TEXT_BYTES(piece_bytes, stop_bytes) \
  (ET_UTF8_STREAM_BYTES(piece_bytes) + (stop_bytes))

void llm_answer_text_start(llm_answer_text *text, const char *const *stops,
                           size_t stop_count);

/* Appends the bytes of a token. The first *out_size bytes of text->bytes can then be returned.
 * Returns true if a stop string follows them. */
bool llm_answer_text_push(llm_answer_text *text, const char *piece, size_t size,
                          size_t *out_size);

/* Ends the text. The first *out_size bytes of text->bytes can be returned; an incomplete character
 * is discarded. */
void llm_answer_text_end(llm_answer_text *text, size_t *out_size);

#endif /* ET_LLM_ANSWER_TEXT_H_ */
