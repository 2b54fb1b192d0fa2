/* Prints the model's perplexity on a text: exp(mean of -log p) over all tokens
 * except the first. Tokens that do not fit in the context are ignored.
 *
 *   perplexity TEXT-FILE [TOKENS] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "executorch/llm/hosted.h"
#include MODEL_HEADER

enum { kText = 1 << 20 };

static char text[kText];
static et_bpe_symbol symbols[kText];

/* Returns -log of a token's probability, computed from the scores. */
static double surprise(const float *scores, size_t count, int64_t token) {
  double highest = scores[0];
  for (size_t i = 1; i < count; ++i) {
    highest = fmax(highest, scores[i]);
  }
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) {
    sum += exp(scores[i] - highest);
  }
  return log(sum) + highest - scores[token];
}

static et_status measure(et_llm *llm, const int64_t *tokens, size_t count,
                         double *out, et_error *error) {
  const size_t vocabulary = et_llm_get_info(llm)->vocabulary;
  et_llm_session *session = NULL;
  et_status status = et_llm_session_create(llm, &session, error);
  *out = 0.0;
  for (size_t i = 0; status == ET_STATUS_OK && i + 1 < count; ++i) {
    const float *scores = NULL;
    status = et_llm_append(session, &tokens[i], 1, &scores, error);
    if (status == ET_STATUS_OK) {
      *out += surprise(scores, vocabulary, tokens[i + 1]);
    }
  }
  et_llm_session_destroy(session);
  return status;
}

/* Reads a text file and encodes it as tokens. Returns their number; 0 if the
 * file cannot be read. */
static size_t read_tokens(const char *path, int64_t *tokens, size_t capacity) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return 0;
  }
  const size_t size = fread(text, 1, kText, file);
  fclose(file);
  return et_bpe_encode(MODEL.vocabulary, text, size, tokens, capacity, symbols,
                       kText);
}

static int run(et_llm *llm, const char *path, size_t limit) {
  const size_t context = et_llm_get_info(llm)->context;
  int64_t *tokens = calloc(context, sizeof *tokens);
  const size_t count =
      tokens == NULL
          ? 0
          : read_tokens(path, tokens, limit < context ? limit : context);
  et_error error = ET_ERROR_INIT;
  double sum = 0.0;
  int code = 1;
  if (count < 2) {
    fprintf(stderr, "%s: fewer than two tokens\n", path);
  } else if (measure(llm, tokens, count, &sum, &error) != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
  } else {
    printf("perplexity %.6f, %zu tokens\n", exp(sum / (double)(count - 1)),
           count);
    code = 0;
  }
  free(tokens);
  return code;
}

int main(int argc, char **argv) {
  et_error error = ET_ERROR_INIT;
  et_llm *llm = NULL;
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: %s TEXT-FILE [TOKENS]\n", argv[0]);
    return 2;
  }
  if (et_llm_create(&MODEL, 1, &llm, &error) != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  const int code =
      run(llm, argv[1], argc == 3 ? strtoul(argv[2], NULL, 10) : SIZE_MAX);
  et_llm_destroy(llm);
  return code;
}
