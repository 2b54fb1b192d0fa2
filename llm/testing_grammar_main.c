/* Generates answers with a small model and grammars, for tests in Python.
 *
 *   testing_grammar COUNT TEMPERATURE MAX-TOKENS
 *
 * Prints for each grammar and answer: the grammar's name, the reason for the end, the number of tokens
 * and of bytes, and after a line break the bytes and another line break. With temperature 0, the
 * prompts differ instead of the seeds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/llm/hosted.h"

/* The build defines the model, MODEL, and its header, MODEL_HEADER. */
#include MODEL_HEADER
#include "llm/testing_grammars.h"

enum { kText = 1 << 16 };

typedef struct answer {
  char text[kText];
  size_t size;
} answer;

static void add_text(void *user, const char *text, size_t size) {
  answer *to = user;
  if (size > sizeof to->text - to->size) {
    abort();
  }
  memcpy(to->text + to->size, text, size);
  to->size += size;
}

static et_status generate(et_llm_session *session, const char *name,
                          const et_llm_generation *options, int64_t token,
                          et_error *error) {
  static answer text;
  const et_llm_prompt prompt = {.tokens = &token, .token_count = 1};
  text.size = 0;
  ET_RETURN_IF_ERROR(
      et_llm_generate(session, &prompt, options, add_text, &text, error));
  const et_llm_stats *stats = et_llm_get_stats(session);
  printf("%s %d %zu %zu\n", name, (int)stats->finish, stats->generated_tokens,
         text.size);
  fwrite(text.text, 1, text.size, stdout);
  putchar('\n');
  return ET_STATUS_OK;
}

int main(int argc, char **argv) {
  et_error error = ET_ERROR_INIT;
  et_llm *llm = NULL;
  et_llm_session *session = NULL;
  if (argc != 4) {
    return 2;
  }
  const size_t count = strtoul(argv[1], NULL, 10);
  et_llm_generation options = {
      .sampling = {.temperature = strtof(argv[2], NULL)},
      .max_tokens = strtoul(argv[3], NULL, 10)};
  et_status status = et_llm_create(&MODEL, 1, &llm, &error);
  if (status == ET_STATUS_OK) {
    status = et_llm_session_create(llm, &session, &error);
  }
  for (size_t i = 0; i < sizeof kGrammars / sizeof *kGrammars; ++i) {
    options.grammar = kGrammars[i].grammar;
    for (size_t j = 0; status == ET_STATUS_OK && j < count; ++j) {
      options.seed = j;
      status = generate(session, kGrammars[i].name, &options, (int64_t)j + 32,
                        &error);
    }
  }
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
  }
  et_llm_session_destroy(session);
  et_llm_destroy(llm);
  return status == ET_STATUS_OK ? 0 : 1;
}
