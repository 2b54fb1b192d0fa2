/* Prints the model's perplexity on a text: exp(mean of -log p) over all tokens
 * except the first. Tokens that do not fit in the cache are ignored.
 *
 *   perplexity TEXT-FILE [TOKENS] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "executorch/text/bpe.h"
#include "models/chat/chat_vocabulary.h"
#include "models/chat/decoder.h"

enum { kText = 1 << 20 };

static decoder model;
static char text[kText];
static et_bpe_symbol symbols[kText];
static int64_t tokens[kDecoderContext];

/* Returns -log of a token's probability, computed from the scores. */
static double surprise(const float *scores, int64_t token) {
  double highest = scores[0];
  for (int32_t i = 1; i < kDecoderTokens; ++i) {
    highest = fmax(highest, scores[i]);
  }
  double sum = 0.0;
  for (int32_t i = 0; i < kDecoderTokens; ++i) {
    sum += exp(scores[i] - highest);
  }
  return log(sum) + highest - scores[token];
}

static et_status measure(size_t count, double *out, et_error *error) {
  const float *scores = NULL;
  *out = 0.0;
  ET_RETURN_IF_ERROR(decoder_load(&model, NULL, error));
  for (size_t i = 0; i + 1 < count; ++i) {
    ET_RETURN_IF_ERROR(decoder_take(&model, &tokens[i], 1, &scores, error));
    *out += surprise(scores, tokens[i + 1]);
  }
  return ET_STATUS_OK;
}

/* Reads a text file and encodes it as tokens. Returns their number; 0 if the
 * file cannot be read. */
static size_t read_tokens(const char *path, size_t capacity) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return 0;
  }
  const size_t size = fread(text, 1, kText, file);
  fclose(file);
  return et_bpe_encode(&chat_vocabulary, text, size, tokens, capacity, symbols,
                       kText);
}

static size_t token_limit(const char *argument) {
  const unsigned long limit = strtoul(argument, NULL, 10);
  return limit < kDecoderContext ? limit : kDecoderContext;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: %s TEXT-FILE [TOKENS]\n", argv[0]);
    return 2;
  }
  const size_t count =
      read_tokens(argv[1], argc == 3 ? token_limit(argv[2]) : kDecoderContext);
  if (count < 2) {
    fprintf(stderr, "%s: fewer than two tokens\n", argv[1]);
    return 1;
  }
  et_error error = ET_ERROR_INIT;
  double sum = 0.0;
  if (measure(count, &sum, &error) != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("perplexity %.6f, %zu tokens\n", exp(sum / (double)(count - 1)),
         count);
  return 0;
}
