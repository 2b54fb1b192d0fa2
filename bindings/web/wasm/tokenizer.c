#include "bindings/web/wasm/tokenizer.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* The linker defines it: the end of static data, where the memory for calls starts. */
extern unsigned char __heap_base;

enum { PAGE_BYTES = 1 << 16, ALIGNMENT = 16 };

static const et_web_tokenizer *const self = &et_web_linked_tokenizer;

EXPORT(digest) int64_t et_web_digest(void) { return self->digest; }

EXPORT(vocabulary_size) uint32_t et_web_vocabulary_size(void) {
  return self->kind->count(self->vocabulary);
}

/* Returns the address of memory for one call, aligned to 16 bytes, or 0. Later calls
 * use the same memory. */
EXPORT(reserve) uintptr_t et_web_reserve(size_t size) {
  const size_t base =
      ((uintptr_t)&__heap_base + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const size_t pages = __builtin_wasm_memory_size(0);
  if (size > SIZE_MAX - (PAGE_BYTES - 1) - base) {
    return 0;
  }
  const size_t needed = (base + size + PAGE_BYTES - 1) / PAGE_BYTES;
  const bool fits = needed <= pages ||
                    __builtin_wasm_memory_grow(0, needed - pages) != SIZE_MAX;
  return fits ? base : 0;
}

EXPORT(max_tokens) size_t et_web_max_tokens(size_t size) {
  return self->kind->max_tokens(self->vocabulary, size);
}

EXPORT(encode)
size_t et_web_encode(const char *text, size_t size, int64_t *tokens,
                     size_t capacity, et_bpe_symbol *work, bool special) {
  return self->kind->encode(self->vocabulary, text, size, tokens, capacity,
                            work, special);
}

EXPORT(decode)
size_t et_web_decode(const int64_t *tokens, size_t count, char *out) {
  return self->kind->decode(self->vocabulary, tokens, count, out);
}

EXPORT(piece) const char *et_web_piece(int64_t token) {
  size_t size;
  return self->kind->piece(self->vocabulary, token, &size);
}

EXPORT(piece_size) size_t et_web_piece_size(int64_t token) {
  size_t size;
  (void)self->kind->piece(self->vocabulary, token, &size);
  return size;
}

/* ---- Chat templates ---- */

EXPORT(has_chat) bool et_web_has_chat(void) { return self->chat != NULL; }

static size_t size_of(const et_chat_parts *parts) {
  size_t size = 0;
  for (size_t i = 0; i < parts->count; ++i) {
    size += parts->items[i].token < 0 ? parts->items[i].size : 1;
  }
  return size;
}

static size_t format_size(int format) {
  return size_of(&self->chat->formats[format].before) +
         size_of(&self->chat->formats[format].after);
}

/* JavaScript writes messages as three 32-bit integers. */
_Static_assert(sizeof(et_chat_message) == 12, "et_chat_message has 12 bytes");

/* Returns NULL, or the address of what is wrong with messages[*index]. */
EXPORT(chat_check)
const char *et_web_chat_check(const et_chat_message *messages, size_t count,
                              et_chat_start start, bool answers,
                              size_t *index) {
  const et_chat_request request = {messages, count, start, answers};
  return et_chat_check(self->chat, &request, index);
}

/* Returns an upper bound of the bytes and control tokens of messages. */
EXPORT(chat_size)
size_t et_web_chat_size(const et_chat_message *messages, size_t count) {
  size_t size = size_of(&self->chat->opening) + size_of(&self->chat->answer);
  for (size_t i = 0; i < count; ++i) {
    const et_chat_role role = messages[i].role;
    size += messages[i].size + format_size((int)role);
    size += role == ET_CHAT_USER ? format_size(ET_CHAT_FIRST_USER) : 0;
  }
  return size;
}

/* Writes the tokens of messages. `scratch` has `scratch_size` bytes, and `symbols` as
 * many entries as for the encoding of a text of that size. */
EXPORT(chat)
size_t et_web_chat(const et_chat_message *messages, size_t count,
                   et_chat_start start, bool answers, int64_t *tokens,
                   size_t capacity, char *scratch, size_t scratch_size,
                   et_bpe_symbol *symbols) {
  const et_chat_request request = {messages, count, start, answers};
  const et_chat_work work = {
      scratch, scratch_size, symbols,
      et_web_max_tokens(scratch_size) + ET_WEB_WORK_MARGIN};
  return self->kind->chat(self->vocabulary, self->chat, &request, tokens,
                          capacity, &work);
}

EXPORT(stop_count) size_t et_web_stop_count(void) {
  return self->chat->stop_count;
}

EXPORT(stops) const int64_t *et_web_stops(void) { return self->chat->stops; }
