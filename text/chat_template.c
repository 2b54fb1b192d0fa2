#include "executorch/text/chat_template.h"

#include <string.h>

/* The tokens so far, and pending text that is not yet encoded. */
typedef struct writer {
  const et_bpe_vocabulary *vocabulary;
  const et_chat_work *work;
  int64_t *tokens;
  size_t capacity;
  size_t count;
  size_t pending; /* bytes of work->text */
  bool is_full;
} writer;

/* Encodes the pending text. Full output counts as truncated, because the
 * encoder does not report whether it stopped early. */
static void end_text(writer *to) {
  if (to->pending == 0 || to->is_full) {
    return;
  }
  const size_t capacity = to->capacity - to->count;
  to->count += et_bpe_encode(to->vocabulary, to->work->text, to->pending,
                             to->tokens + to->count, capacity,
                             to->work->symbols, to->work->count);
  to->is_full = to->count == to->capacity;
  to->pending = 0;
}

static void add_text(writer *to, const char *text, size_t size) {
  if (size > to->work->size - to->pending) {
    to->is_full = true;
  } else if (size > 0) {
    memcpy(to->work->text + to->pending, text, size);
    to->pending += size;
  }
}

static void add_token(writer *to, int64_t token) {
  end_text(to);
  to->is_full = to->is_full || to->count == to->capacity;
  if (!to->is_full) {
    to->tokens[to->count++] = token;
  }
}

static void add_parts(writer *to, const et_chat_parts *parts) {
  for (size_t i = 0; i < parts->count; ++i) {
    const et_chat_part *part = &parts->items[i];
    if (part->token < 0) {
      add_text(to, part->text, part->size);
    } else {
      add_token(to, part->token);
    }
  }
}

static size_t finish(writer *to) {
  end_text(to);
  return to->is_full ? ET_CHAT_TOO_LONG : to->count;
}

size_t et_chat_message(const et_chat_template *chat,
                       const et_bpe_vocabulary *vocabulary, et_chat_role role,
                       const char *text, size_t size, int64_t *tokens,
                       size_t capacity, const et_chat_work *work) {
  writer to = {vocabulary, work, tokens, capacity, 0, 0, false};
  add_parts(&to, &chat->before[role]);
  add_text(&to, text, size);
  add_parts(&to, &chat->after[role]);
  return finish(&to);
}

size_t et_chat_parts_tokens(const et_chat_parts *parts,
                            const et_bpe_vocabulary *vocabulary,
                            int64_t *tokens, size_t capacity,
                            const et_chat_work *work) {
  writer to = {vocabulary, work, tokens, capacity, 0, 0, false};
  add_parts(&to, parts);
  return finish(&to);
}

bool et_chat_is_stop(const et_chat_template *chat, int64_t token) {
  for (size_t i = 0; i < chat->stop_count; ++i) {
    if (chat->stops[i] == token) {
      return true;
    }
  }
  return false;
}
