/* The exported functions of a language model's shared library, for bindings to other languages. */
#include "executorch/llm/hosted.h"

/* The build defines the model, MODEL, and its header, MODEL_HEADER. */
#include MODEL_HEADER

const et_llm_model *et_llm_shared_model(void);
const et_llm_model *et_llm_shared_model(void) { return &MODEL; }

/* Returns the name of an adapter, or NULL for an index after the last one. */
const char *et_llm_shared_adapter(size_t index);
const char *et_llm_shared_adapter(size_t index) {
  return index < MODEL.adapter_count ? MODEL.adapters[index].name : NULL;
}

/* References link the functions from static libraries. */
typedef void (*function)(void);
extern const function et_llm_shared_functions[];
const function et_llm_shared_functions[] = {
    (function)et_llm_create,         (function)et_llm_destroy,
    (function)et_llm_session_create, (function)et_llm_session_destroy,
    (function)et_llm_begin,          (function)et_llm_next,
    (function)et_llm_cancel,         (function)et_llm_rewind,
    (function)et_llm_append,         (function)et_llm_get_tokens,
    (function)et_llm_get_stats,      (function)et_llm_get_info,
    (function)et_llm_set_adapter,    (function)et_llm_shared_adapter,
    (function)et_llm_finish_text,    (function)et_bpe_encode,
    (function)et_status_name,        (function)et_status_text,
};

/* Sizes of the structs that other languages declare: info, options, prompt, message, piece, stats,
 * bias, grammar, edge of a grammar. */
size_t et_llm_shared_sizes(size_t *out, size_t count);
size_t et_llm_shared_sizes(size_t *out, size_t count) {
  const size_t sizes[] = {sizeof(et_llm_info),    sizeof(et_llm_generation),
                          sizeof(et_llm_prompt),  sizeof(et_llm_message),
                          sizeof(et_llm_piece),   sizeof(et_llm_stats),
                          sizeof(et_llm_bias),    sizeof(et_grammar),
                          sizeof(et_grammar_edge)};
  const size_t all = sizeof sizes / sizeof *sizes;
  for (size_t i = 0; i < all && i < count; ++i) {
    out[i] = sizes[i];
  }
  return all;
}
