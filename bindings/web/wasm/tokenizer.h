/* A WebAssembly instance with one tokenizer.
 *
 * JavaScript creates an instance for each loaded object; dropping it frees all memory.
 * bindings/web/runtime/tokenizer.mjs calls the exported functions of tokenizer.c, and
 * passes addresses that it has reserved. */
#ifndef BINDINGS_WEB_WASM_TOKENIZER_H_
#define BINDINGS_WEB_WASM_TOKENIZER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/text/chat_template.h"

/* Work entries in addition to the bound of the tokens. JavaScript has the same constant. */
#define ET_WEB_WORK_MARGIN 4

/* The functions of an algorithm. Vocabularies are et_wordpiece_vocabulary or
 * et_bpe_vocabulary. */
typedef struct et_web_tokenizer_kind {
  uint32_t (*count)(const void *vocabulary);
  const char *(*piece)(const void *vocabulary, int64_t token, size_t *size);
  /* Returns an upper bound of the tokens of a text. */
  size_t (*max_tokens)(const void *vocabulary, size_t size);
  /* `work` has max_tokens(size) + ET_WEB_WORK_MARGIN entries. With `special`, writes
   * the tokens that begin and end a text as well. */
  size_t (*encode)(const void *vocabulary, const char *text, size_t size,
                   int64_t *tokens, size_t capacity, et_bpe_symbol *work,
                   bool special);
  /* Returns the number of bytes of the text; writes them unless `out` is NULL. */
  size_t (*decode)(const void *vocabulary, const int64_t *tokens, size_t count,
                   char *out);
  /* Returns the number of tokens, which is less than `capacity`. NULL without chat
   * templates. */
  size_t (*chat)(const void *vocabulary, const et_chat_template *chat,
                 const et_chat_request *request, int64_t *tokens,
                 size_t capacity, const et_chat_work *work);
} et_web_tokenizer_kind;

extern const et_web_tokenizer_kind et_web_bpe;
extern const et_web_tokenizer_kind et_web_wordpiece;

/* The tokenizer of the module. Generated code defines it. */
typedef struct et_web_tokenizer {
  int64_t digest; /* of the tables; the JavaScript module has the same */
  const et_web_tokenizer_kind *kind;
  const void *vocabulary;
  const et_chat_template *chat; /* NULL without one */
} et_web_tokenizer;

extern const et_web_tokenizer et_web_linked_tokenizer;

#endif /* BINDINGS_WEB_WASM_TOKENIZER_H_ */
