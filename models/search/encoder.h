/* Sentences as vectors. */
#ifndef ET_MODELS_SEARCH_ENCODER_H_
#define ET_MODELS_SEARCH_ENCODER_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/status.h"

/* Elements of a vector, whose length is 1. */
#define ENCODER_WIDTH 384

/* Prepares the one encoder that a process has. */
et_status encoder_load(et_error *error);

/* The vector of UTF-8 text, of which the first 254 tokens count. */
et_status encoder_embed(const char *text, size_t size, float out[ENCODER_WIDTH],
                        et_error *error);

/* A number that other weights, or another network, hardly have as well. */
uint64_t encoder_identity(void);

#endif /* ET_MODELS_SEARCH_ENCODER_H_ */
