#include "models/search/encoder.h"

#include <string.h>

#include "executorch/text/wordpiece.h"
#include "models/search/corpus.h"
#include "models/search/search_cc.h"
#include "models/search/search_vocabulary.h"

enum {
  kLongest = 256,
  /* Without [CLS] and [SEP]. */
  kMaxPieces = kLongest - 2,
  kIdentityStep = 4096,
};

static search_forward_memory memory;
static search_forward_method method;

et_status encoder_load(et_error *error) {
  return search_forward_load(&memory, NULL, &method, error);
}

/* Writes the tokens of a text, including [CLS] and [SEP]. Returns their number. */
static int32_t tokens_of(const char *text, size_t size, int64_t out[kLongest]) {
  const size_t pieces =
      et_wordpiece_encode(&search_vocabulary, text, size, out + 1, kMaxPieces);
  out[0] = search_vocabulary.begin;
  out[pieces + 1] = search_vocabulary.end;
  return (int32_t)pieces + 2;
}

et_status encoder_embed(const char *text, size_t size, float out[ENCODER_WIDTH],
                        et_error *error) {
  int64_t tokens[kLongest];
  const int32_t sizes[2] = {1, tokens_of(text, size, tokens)};
  const float *vector = NULL;
  ET_RETURN_IF_ERROR(search_forward_set_tokens(method, tokens, (size_t)sizes[1],
                                               sizes, error));
  ET_RETURN_IF_ERROR(search_forward_execute(method, error));
  ET_RETURN_IF_ERROR(search_forward_get_output_0(method, &vector, error));
  memcpy(out, vector, ENCODER_WIDTH * sizeof *out);
  return ET_STATUS_OK;
}

/* Hashes 8 bytes of every 4 KiB page of the program. */
uint64_t encoder_identity(void) {
  uint64_t hash = HASH_START;
  for (size_t at = 0; at + 8 <= search_program_size; at += kIdentityStep) {
    hash = hash_bytes(hash, search_program_data + at, 8);
  }
  return hash;
}
