/* Prints the tokens of each conversation of standard input, or what is wrong with it.
 *
 *   chats < CONVERSATIONS
 *
 * A conversation is a line. A message starts with 0x01 and the digit of its role. 0x02 means a
 * newline. The macros VOCABULARY, CHAT and HEADER select a vocabulary and its chat template. */
#include <stdio.h>

#include HEADER

enum { kLine = 1 << 16, kMessages = 32 };

static char line[kLine];
static char text[kLine];
static et_bpe_symbol symbols[kLine];
static int64_t tokens[kLine];

static size_t read_line(void) {
  size_t size = 0;
  int c = getchar();
  for (; c != EOF && c != '\n' && size < kLine; c = getchar()) {
    line[size++] = c == 2 ? '\n' : (char)c;
  }
  return c == EOF && size == 0 ? SIZE_MAX : size;
}

/* Returns the number of messages in the line. */
static size_t read_messages(size_t size, et_chat_message *messages) {
  size_t count = 0;
  for (size_t i = 0; i < size; ++i) {
    if (line[i] == 1 && i + 1 < size && count < kMessages) {
      const et_chat_message message = {(et_chat_role)(line[++i] - '0'),
                                       line + i + 1, 0};
      messages[count++] = message;
    } else if (count > 0) {
      ++messages[count - 1].size;
    }
  }
  return count;
}

int main(void) {
  for (size_t size = read_line(); size != SIZE_MAX; size = read_line()) {
    et_chat_message messages[kMessages];
    const et_chat_work work = {text, kLine, symbols, kLine};
    const et_chat_request request = {messages, read_messages(size, messages),
                                     ET_CHAT_BEGIN, true};
    size_t index = 0;
    const char *reason = et_chat_check(&CHAT, &request, &index);
    if (reason != NULL) {
      printf("messages[%d] %s\n", (int)index, reason);
      continue;
    }
    const size_t count =
        et_chat_tokens(&CHAT, &VOCABULARY, &request, tokens, kLine, &work);
    for (size_t i = 0; i < count; ++i) {
      printf(i == 0 ? "%d" : " %d", (int)tokens[i]);
    }
    putchar('\n');
  }
  return 0;
}
