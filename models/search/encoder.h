/* Sentence embeddings. */
#ifndef ET_MODELS_SEARCH_ENCODER_H_
#define ET_MODELS_SEARCH_ENCODER_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/status.h"

/* Elements of an embedding, which has length 1. */
#define ENCODER_WIDTH 384

/* Loads the encoder. A process has one encoder. */
et_status encoder_load(et_error *error);

/* Computes the embedding of UTF-8 text. Tokens after the first 254 are ignored. */
et_status encoder_embed(const char *text, size_t size, float out[ENCODER_WIDTH],
                        et_error *error);

/* Returns a hash that identifies the network and its weights. */
uint64_t encoder_identity(void);

#endif /* ET_MODELS_SEARCH_ENCODER_H_ */
