/* Compares the processor time of a token with and without a grammar.
 *
 *   grammar_overhead [ROUNDS [TEMPERATURE]]
 *
 * Two sessions generate the same number of tokens after the same prompt, and take turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "executorch/llm/hosted.h"
#include "models/chat/names.h"
#include "models/chat/person.h"
#include "models/chat/smollm2.h"

enum { kTokens = 120 };

static const struct {
  const char *name;
  const et_grammar *grammar;
  const char *prompt;
} kCases[] = {
    {"long strings", &models_chat_person,
     "Describe a person as JSON, with a biography."},
    {"short strings", &models_chat_names,
     "List names of people as a JSON array of strings."},
};

/* A session, and the time of its tokens. */
typedef struct side {
  et_llm_session *session;
  double seconds;
} side;

static et_status begin(side *to, const char *text,
                       const et_llm_generation *options, et_error *error) {
  const et_llm_message message = {ET_CHAT_USER, text, strlen(text)};
  const et_llm_prompt prompt = {.messages = &message, .message_count = 1};
  return et_llm_begin(to->session, &prompt, options, error);
}

static et_status next(side *to, et_llm_piece *piece, et_error *error) {
  const clock_t start = clock();
  ET_RETURN_IF_ERROR(et_llm_next(to->session, piece, error));
  to->seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
  return ET_STATUS_OK;
}

/* Compares answers, and prints the times. */
static et_status compare(side *with, side *without, size_t index, size_t rounds,
                         float temperature, et_error *error) {
  et_llm_bias endless[4]; /* without tokens that end an answer */
  size_t tokens = 0;
  size_t stops = 0;
  for (; stops < smollm2.chat->stop_count && stops < 4; ++stops) {
    endless[stops].token = smollm2.chat->stops[stops];
    endless[stops].bias = -1e9F;
  }
  with->seconds = 0.0;
  without->seconds = 0.0;
  for (size_t i = 0; i < rounds; ++i) {
    et_llm_generation options = {.sampling = {.temperature = temperature},
                                 .seed = i,
                                 .max_tokens = kTokens};
    et_llm_piece piece = {.finish = ET_LLM_FINISH_NONE};
    et_llm_piece other = {.finish = ET_LLM_FINISH_NONE};
    options.biases = endless;
    options.bias_count = stops;
    ET_RETURN_IF_ERROR(begin(without, kCases[index].prompt, &options, error));
    options.bias_count = 0;
    options.grammar = kCases[index].grammar;
    ET_RETURN_IF_ERROR(begin(with, kCases[index].prompt, &options, error));
    while (piece.finish == ET_LLM_FINISH_NONE &&
           other.finish == ET_LLM_FINISH_NONE) {
      ET_RETURN_IF_ERROR(next(with, &piece, error));
      ET_RETURN_IF_ERROR(next(without, &other, error));
    }
    tokens += et_llm_get_stats(with->session)->generated_tokens;
  }
  printf(
      "%s, temperature %.1f: %zu tokens, %.2f ms each with the grammar, %.2f "
      "ms without: ratio %.3f\n",
      kCases[index].name, (double)temperature, tokens,
      with->seconds * 1e3 / (double)tokens,
      without->seconds * 1e3 / (double)tokens,
      with->seconds / without->seconds);
  return ET_STATUS_OK;
}

int main(int argc, char **argv) {
  const size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
  const float hot = argc > 2 ? strtof(argv[2], NULL) : 1.0F;
  et_error error = ET_ERROR_INIT;
  et_llm *llm = NULL;
  side with = {NULL, 0.0};
  side without = {NULL, 0.0};
  et_status status = et_llm_create(&smollm2, 1, &llm, &error);
  if (status == ET_STATUS_OK) {
    status = et_llm_session_create(llm, &with.session, &error);
  }
  if (status == ET_STATUS_OK) {
    status = et_llm_session_create(llm, &without.session, &error);
  }
  for (size_t i = 0; i < 4 && status == ET_STATUS_OK; ++i) {
    status = compare(&with, &without, i / 2, rounds, i % 2 == 0 ? 0.0F : hot,
                     &error);
  }
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
  }
  et_llm_session_destroy(with.session);
  et_llm_session_destroy(without.session);
  et_llm_destroy(llm);
  return status == ET_STATUS_OK ? 0 : 1;
}
