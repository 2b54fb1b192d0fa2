/* A text decoder with a KV cache: tokens in, scores (logits) of the next token out. */
#ifndef ET_CHAT_DECODER_H_
#define ET_CHAT_DECODER_H_

#include "models/chat/chat_cc.h"

/* Capacity of the cache, tokens of one prefill, and vocabulary size; as in models/chat/llama.py. */
enum { kDecoderContext = 2048, kDecoderChunk = 128, kDecoderTokens = 49152 };

/* All zero before loading. The structure must not be moved after loading. */
typedef struct decoder {
  chat_prefill_memory prefill_memory;
  chat_decode_memory decode_memory;
  chat_state cache;
  chat_prefill_method prefill;
  chat_decode_method decode;
  size_t length; /* tokens in the cache */
} decoder;

/* Loads the methods. `options` may be NULL. */
et_status decoder_load(decoder *decoder, const et_method_options *options,
                       et_error *error);

/* Appends one or more tokens. *scores are the kDecoderTokens scores after the last token, valid
 * until the next call. Returns OUT_OF_RESOURCES, and appends nothing, if the tokens do not fit into
 * the cache. */
et_status decoder_take(decoder *decoder, const int64_t *tokens, size_t count,
                       const float **scores, et_error *error);

#endif /* ET_CHAT_DECODER_H_ */
