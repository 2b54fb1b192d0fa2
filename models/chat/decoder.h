/* A decoder of text with its cache: tokens in, scores of what may follow out. */
#ifndef ET_CHAT_DECODER_H_
#define ET_CHAT_DECODER_H_

#include "models/chat/chat_cc.h"

/* Tokens that the cache has room for, and that one call of prefill takes; those of
 * models/chat/llama.py. */
enum { kDecoderContext = 2048, kDecoderChunk = 128, kDecoderTokens = 49152 };

/* All zero before it is loaded. It stays in place. */
typedef struct decoder {
  chat_prefill_memory prefill_memory;
  chat_decode_memory decode_memory;
  chat_state cache;
  et_method *prefill;
  et_method *decode;
  size_t length; /* tokens in the cache */
} decoder;

/* `options` may be NULL. */
et_status decoder_load(decoder *decoder, const et_method_options *options,
                       et_error *error);

/* Takes one or more tokens that follow those before. The scores are those of the last one,
 * kDecoderTokens of them, until the next call. OUT_OF_RESOURCES, and nothing is taken, when
 * the cache has no room for them. */
et_status decoder_take(decoder *decoder, const int64_t *tokens, size_t count,
                       const float **scores, et_error *error);

#endif /* ET_CHAT_DECODER_H_ */
