/* Describes a person as JSON, as person.schema.json requires: each line of the input is a text. */
#include <stdio.h>
#include <string.h>

#include "app/assistant.h"
#include "app/person.h"
#include "executorch/llm/hosted.h"

static void print(void *user, const char *text, size_t size) {
  (void)user;
  fwrite(text, 1, size, stdout);
}

int main(void) {
  const et_llm_generation options = {.grammar = &app_person};
  et_llm *llm = NULL;
  et_llm_session *chat = NULL;
  et_error error = ET_ERROR_INIT;
  char line[4096];
  et_status status = et_llm_create(&app_assistant, 2, &llm, &error);
  if (status == ET_STATUS_OK) {
    status = et_llm_session_create(llm, &chat, &error);
  }
  while (status == ET_STATUS_OK && fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    status = et_llm_chat(chat, line, &options, print, NULL, &error);
    putchar('\n');
  }
  if (status != ET_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
  }
  et_llm_session_destroy(chat);
  et_llm_destroy(llm);
  return status == ET_STATUS_OK ? 0 : 1;
}
