/* Prints the tokens of a prompt and of its answer, for comparison with Python.
 *
 *   testing_tokens TEMPERATURE REPETITION PRESENCE FREQUENCY MAX-TOKENS PROMPT */
#include <stdio.h>
#include <stdlib.h>

#include "executorch/llm/hosted.h"
#include "llm/small.h"

static float number(const char *text) { return strtof(text, NULL); }

int main(int argc, char **argv) {
  et_error error = ET_ERROR_INIT;
  et_llm *llm = NULL;
  et_llm_session *session = NULL;
  size_t count = 0;
  if (argc != 7) {
    return 2;
  }
  const et_llm_generation options = {
      .sampling = {.temperature = number(argv[1]),
                   .repetition = number(argv[2]),
                   .presence = number(argv[3]),
                   .frequency = number(argv[4])},
      .max_tokens = strtoul(argv[5], NULL, 10)};
  if (et_llm_create(&small, 1, &llm, &error) != ET_STATUS_OK ||
      et_llm_session_create(llm, &session, &error) != ET_STATUS_OK ||
      et_llm_chat(session, argv[6], &options, NULL, NULL, &error) !=
          ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  const int64_t *tokens = et_llm_get_tokens(session, &count);
  const size_t prompt = et_llm_get_stats(session)->prompt_tokens;
  for (size_t i = 0; i < count; ++i) {
    printf("%s%lld",
           i == 0        ? ""
           : i == prompt ? "\n"
                         : " ",
           (long long)tokens[i]);
  }
  et_llm_session_destroy(session);
  et_llm_destroy(llm);
  return 0;
}
