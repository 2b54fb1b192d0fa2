/* Verification, measuring and opening of models and sessions. */
#include <string.h>

#include "executorch/arena.h"
#include "executorch/scalar_type.h"
#include "llm/session.h"

enum {
  kDefaultStopBytes = 256,
  kMessageBytesPerToken = 8,
  kMinMessageBytes = 1024,
  kConstantBytes = 2048, /* memory of a method that returns a constant */
};

static const char kContextMethod[] = "get_max_context_len";
static const char kRingMethod[] = "get_min_ring_len";
static const char kRewindMethod[] = "get_max_rewind_len";

/* Reads the result of a method without inputs that returns an int. */
static et_status read_constant(const et_llm *llm, const char *name,
                               int64_t *out, et_error *error) {
  _Alignas(ET_MEMORY_ALIGNMENT) uint8_t bytes[kConstantBytes];
  et_method_requirements needs;
  const et_value *value = NULL;
  et_method *method = NULL;
  ET_RETURN_IF_ERROR(et_method_measure(
      &llm->base.program, name, llm->model.registry, NULL, &needs, error));
  const et_method_memory memory = {.method = {bytes, sizeof bytes}};
  if (needs.method_bytes > sizeof bytes || needs.planned_count != 0 ||
      needs.scratch_bytes != 0 || needs.data_bytes != 0) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "method '%s' is not a constant; return an int", name);
  }
  ET_RETURN_IF_ERROR(et_method_load(&llm->base.program, name,
                                    llm->model.registry, NULL, &memory, &method,
                                    error));
  et_status status = et_method_execute(method, error);
  if (status == ET_STATUS_OK) {
    status = et_method_get_output(method, 0, &value, error);
  }
  if (status == ET_STATUS_OK && value->tag != ET_VALUE_INT) {
    status = et_fail(error, ET_STATUS_INVALID_PROGRAM,
                     "method '%s' does not return an int", name);
  }
  *out = status == ET_STATUS_OK ? value->u.as_int : 0;
  et_method_unload(method);
  return status;
}

static bool is_tensor(const et_value_meta *meta, et_scalar_type dtype,
                      uint8_t rank) {
  return meta->tag == ET_VALUE_TENSOR && meta->dtype == dtype &&
         meta->rank == rank;
}

/* Checks the inputs and outputs of a method. `*out_tokens` is the maximum number of tokens of one
 * call, `*out_scores` the number of scores. */
static et_status check_signature(const et_llm *llm, const char *name,
                                 size_t *out_tokens, size_t *out_scores,
                                 et_error *error) {
  et_method_meta meta;
  et_value_meta tokens = {0};
  et_value_meta positions = {0};
  et_value_meta scores = {0};
  ET_RETURN_IF_ERROR(
      et_program_method_meta(&llm->base.program, name, &meta, error));
  if (et_method_meta_input_count(&meta) == 2 &&
      et_method_meta_output_count(&meta) == 1) {
    ET_RETURN_IF_ERROR(et_method_meta_input(&meta, 0, &tokens, error));
    ET_RETURN_IF_ERROR(et_method_meta_input(&meta, 1, &positions, error));
    ET_RETURN_IF_ERROR(et_method_meta_output(&meta, 0, &scores, error));
  }
  if (!is_tensor(&tokens, ET_SCALAR_TYPE_INT64, 2) ||
      !is_tensor(&positions, ET_SCALAR_TYPE_INT64, 1) ||
      !is_tensor(&scores, ET_SCALAR_TYPE_FLOAT32, 2) || !scores.is_planned ||
      tokens.sizes[0] != 1 || tokens.sizes[1] != positions.sizes[0] ||
      scores.sizes[0] != 1) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "method '%s' is not that of a language model; it must take "
                   "tokens, int64 [1, n], and positions, int64 [n], and return "
                   "scores, float32 [1, vocabulary]",
                   name);
  }
  *out_tokens = (size_t)tokens.sizes[1];
  *out_scores = (size_t)scores.sizes[1];
  return ET_STATUS_OK;
}

/* Returns the bytes of the longest token. */
static size_t longest_piece(const et_bpe_vocabulary *vocabulary) {
  size_t longest = 1;
  for (uint32_t i = 0; i < vocabulary->count; ++i) {
    size_t size = 0;
    (void)et_bpe_piece(vocabulary, i, &size);
    longest = size > longest ? size : longest;
  }
  return longest;
}

static et_status measure_method(const et_llm *llm, const char *name,
                                llm_method *out, et_error *error) {
  const et_method_options options = {.parallel = llm->options.parallel};
  et_method_meta meta;
  out->name = name;
  ET_RETURN_IF_ERROR(
      et_program_method_meta(&llm->base.program, name, &meta, error));
  ET_RETURN_IF_ERROR(et_method_measure(&llm->base.program, name,
                                       llm->model.registry, &options,
                                       &out->needs, error));
  for (size_t i = 0; i < out->needs.planned_count; ++i) {
    ET_RETURN_IF_ERROR(
        et_method_meta_planned_bytes(&meta, i, &out->planned_bytes[i], error));
  }
  return ET_STATUS_OK;
}

static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

/* Both methods use the same planned buffers: the first has activations, which one run does not
 * keep; the others have the KV cache. */
static size_t planned_bytes(const et_llm *llm, size_t index) {
  return max_size(llm->prefill.planned_bytes[index],
                  llm->decode.planned_bytes[index]);
}

static size_t planned_count(const et_llm *llm) {
  return max_size(llm->prefill.needs.planned_count,
                  llm->decode.needs.planned_count);
}

/* Reads which tokens rings keep. Without rings, the cache keeps all tokens. */
static et_status read_rings(et_llm *llm, et_error *error) {
  et_method_meta meta;
  int64_t ring = 0;
  int64_t rewind = 0;
  llm->info.ring = llm->info.context;
  llm->info.rewind = llm->info.context;
  if (et_program_method_meta(&llm->base.program, kRingMethod, &meta, NULL) !=
      ET_STATUS_OK) {
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(read_constant(llm, kRingMethod, &ring, error));
  ET_RETURN_IF_ERROR(read_constant(llm, kRewindMethod, &rewind, error));
  if (ring < (int64_t)llm->info.chunk || ring > (int64_t)llm->info.context ||
      rewind < 1 || rewind > ring) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "'%s' is %lld and '%s' is %lld; a ring must have at least "
                   "%zu tokens, those of 'prefill', and at most %zu, those of "
                   "the context; 1 to all of them can be rewound",
                   kRingMethod, (long long)ring, kRewindMethod,
                   (long long)rewind, llm->info.chunk, llm->info.context);
  }
  llm->info.ring = (size_t)ring;
  llm->info.rewind = (size_t)rewind;
  return ET_STATUS_OK;
}

/* Fills the program's sizes. */
static et_status read_sizes(et_llm *llm, et_error *error) {
  const uint32_t vocabulary = llm->model.vocabulary->count;
  size_t one = 0;
  size_t scores[2] = {0, 0};
  int64_t context = 0;
  ET_RETURN_IF_ERROR(
      check_signature(llm, "prefill", &llm->info.chunk, &scores[0], error));
  ET_RETURN_IF_ERROR(check_signature(llm, "decode", &one, &scores[1], error));
  ET_RETURN_IF_ERROR(read_constant(llm, kContextMethod, &context, error));
  if (one != 1 || llm->info.chunk < 2 || context < 2 || context > INT32_MAX) {
    return et_fail(error, ET_STATUS_INVALID_PROGRAM,
                   "'decode' takes %zu tokens, 'prefill' %zu, and the context "
                   "has %lld; they must be 1, at least 2, and at least 2",
                   one, llm->info.chunk, (long long)context);
  }
  if (scores[0] != scores[1] || vocabulary == 0 || vocabulary > scores[0]) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "the vocabulary has %u tokens, but the program scores %zu; "
                   "use the vocabulary of the program's weights",
                   (unsigned)vocabulary, scores[0]);
  }
  llm->info.context = (size_t)context;
  llm->info.vocabulary = vocabulary;
  return read_rings(llm, error);
}

/* Memory of a session. All pointers are NULL while it is measured. */
typedef struct session_memory {
  et_llm_session *session;
  void *methods[2];
  void *scratch;
  void *planned[ET_MAX_PLANNED_BUFFERS];
  void *tokens;
  void *prompt;
  void *positions;
  void *changed_scores;
  void *uses;
  void *choices;
  void *text;
  void *matcher;
  void *levels;
  void *mask;
  void *message;
  void *symbols;
} session_memory;

typedef struct array {
  void **data;
  size_t count;
  size_t size;
} array;

static bool take(et_arena *arena, size_t count, size_t size, void **out) {
  return et_arena_take(arena, count, size, ET_MEMORY_ALIGNMENT, out);
}

/* Takes the memory of a session from an arena. The same code measures it. */
static bool take_session(const et_llm *llm, et_arena *arena,
                         session_memory *out) {
  const et_llm_info *info = &llm->info;
  void *session = NULL;
  const array arrays[] = {
      {&session, 1, sizeof(et_llm_session)},
      {&out->methods[0], llm->prefill.needs.method_bytes, 1},
      {&out->methods[1], llm->decode.needs.method_bytes, 1},
      {&out->scratch,
       max_size(llm->prefill.needs.scratch_bytes,
                llm->decode.needs.scratch_bytes),
       1},
      {&out->tokens, info->context, sizeof(int64_t)},
      {&out->prompt, info->context, sizeof(int64_t)},
      {&out->positions, info->chunk, sizeof(int64_t)},
      {&out->changed_scores, info->vocabulary, sizeof(float)},
      {&out->uses, info->vocabulary, sizeof(uint32_t)},
      {&out->choices, info->vocabulary, sizeof(et_sampler_choice)},
      {&out->text, LLM_ANSWER_TEXT_BYTES(info->piece_bytes, info->stop_bytes),
       1},
      {&out->matcher, 1, sizeof(llm_matcher)},
      {&out->levels, info->piece_bytes + 1, sizeof(llm_level)},
      {&out->mask, LLM_MASK_BYTES(info->vocabulary), 1 + LLM_MASK_ENTRIES},
      {&out->message, llm->text_bytes, 1},
      {&out->symbols, llm->text_bytes, sizeof(et_bpe_symbol)},
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    if (!take(arena, arrays[i].count, arrays[i].size, arrays[i].data)) {
      return false;
    }
  }
  for (size_t i = 0; i < planned_count(llm); ++i) {
    if (!take(arena, planned_bytes(llm, i), 1, &out->planned[i])) {
      return false;
    }
  }
  out->session = session;
  return true;
}

static et_status check_model(const et_llm_model *model, et_error *error) {
  if (model->program.data == NULL) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "et_llm_model.program is empty; set it to the bytes of the "
                   "program file");
  }
  return model->registry != NULL && model->vocabulary != NULL &&
                 model->chat != NULL
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "et_llm_model has no registry, vocabulary or chat "
                       "template; set all of them");
}

/* Fills a model, up to the sizes of its memory. */
static et_status fill_llm(const et_llm_model *model,
                          const et_llm_options *options, et_llm *llm,
                          et_error *error) {
  const et_llm empty = {.model = *model};
  et_arena arena = et_arena_measuring();
  session_memory memory;
  *llm = empty;
  if (options != NULL) {
    llm->options = *options;
  }
  ET_RETURN_IF_ERROR(check_model(model, error));
  ET_RETURN_IF_ERROR(
      llm_open_variant(model, "weights", model->weights, &llm->base, error));
  ET_RETURN_IF_ERROR(read_sizes(llm, error));
  ET_RETURN_IF_ERROR(measure_method(llm, "prefill", &llm->prefill, error));
  ET_RETURN_IF_ERROR(measure_method(llm, "decode", &llm->decode, error));
  et_llm_info *info = &llm->info;
  info->piece_bytes = longest_piece(model->vocabulary);
  info->stop_bytes = llm->options.stop_bytes != 0 ? llm->options.stop_bytes
                                                  : (size_t)kDefaultStopBytes;
  info->message_bytes =
      llm->options.message_bytes != 0
          ? llm->options.message_bytes
          : max_size(kMinMessageBytes, info->context * kMessageBytesPerToken);
  llm->text_bytes = et_chat_text_bytes(model->chat, info->message_bytes);
  for (size_t i = 1; i < planned_count(llm); ++i) {
    info->cache_bytes += planned_bytes(llm, i);
  }
  if (!take_session(llm, &arena, &memory)) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "et_llm_options.message_bytes or stop_bytes is too large; "
                   "reduce them");
  }
  info->llm_bytes = sizeof(et_llm);
  info->session_bytes = arena.used;
  return ET_STATUS_OK;
}

et_status et_llm_measure(const et_llm_model *model,
                         const et_llm_options *options, et_llm_info *out_info,
                         et_error *error) {
  et_llm llm;
  et_error_clear(error);
  ET_RETURN_IF_ERROR(fill_llm(model, options, &llm, error));
  *out_info = llm.info;
  return ET_STATUS_OK;
}

static et_status check_memory(const char *name, et_mutable_span memory,
                              size_t needed, et_error *error) {
  if (memory.size < needed) {
    return et_fail(error, ET_STATUS_MEMORY_TOO_SMALL,
                   "the memory of the %s has %zu bytes, but needs %zu; see "
                   "et_llm_measure",
                   name, memory.size, needed);
  }
  return (uintptr_t)memory.data % ET_MEMORY_ALIGNMENT == 0
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "the memory of the %s is not aligned; align it to %d "
                       "bytes",
                       name, ET_MEMORY_ALIGNMENT);
}

et_status et_llm_open(const et_llm_model *model, const et_llm_options *options,
                      et_mutable_span memory, et_llm **out_llm,
                      et_error *error) {
  et_error_clear(error);
  ET_RETURN_IF_ERROR(check_memory("model", memory, sizeof(et_llm), error));
  et_llm *llm = (et_llm *)(void *)memory.data;
  ET_RETURN_IF_ERROR(fill_llm(model, options, llm, error));
  *out_llm = llm;
  return ET_STATUS_OK;
}

const et_llm_info *et_llm_get_info(const et_llm *llm) { return &llm->info; }

static et_status load_method(et_llm_session *session,
                             const llm_variant *variant,
                             const session_memory *memory,
                             const llm_method *method, void *bytes,
                             et_method **out, et_error *error) {
  const et_llm *llm = session->llm;
  const et_method_options options = {.parallel = llm->options.parallel};
  et_planned_buffer planned[ET_MAX_PLANNED_BUFFERS];
  for (size_t i = 0; i < method->needs.planned_count; ++i) {
    const et_planned_buffer buffer = {
        {memory->planned[i], planned_bytes(llm, i)},
        &session->states[i],
        &et_sharing};
    planned[i] = buffer;
  }
  const et_method_memory parts = {
      .method = {bytes, method->needs.method_bytes},
      .scratch = {memory->scratch, method->needs.scratch_bytes},
      .planned = planned,
      .planned_count = method->needs.planned_count,
  };
  return et_method_load(&variant->program, method->name, llm->model.registry,
                        &options, &parts, out, error);
}

et_status llm_load_methods(et_llm_session *session, const llm_variant *variant,
                           et_error *error) {
  const et_llm *llm = session->llm;
  session_memory parts;
  et_arena arena = et_arena_over(session->memory);
  (void)take_session(llm, &arena, &parts);
  ET_RETURN_IF_ERROR(load_method(session, variant, &parts, &llm->prefill,
                                 parts.methods[0], &session->prefill, error));
  const et_status status =
      load_method(session, variant, &parts, &llm->decode, parts.methods[1],
                  &session->decode, error);
  if (status != ET_STATUS_OK) {
    llm_unload_methods(session);
  }
  return status;
}

void llm_unload_methods(et_llm_session *session) {
  et_method_unload(session->decode);
  et_method_unload(session->prefill);
  session->decode = NULL;
  session->prefill = NULL;
}

et_status et_llm_session_open(et_llm *llm, et_mutable_span memory,
                              et_llm_session **out_session, et_error *error) {
  static const et_llm_session kEmpty;
  session_memory parts;
  et_arena arena = et_arena_over(memory);
  et_error_clear(error);
  ET_RETURN_IF_ERROR(
      check_memory("session", memory, llm->info.session_bytes, error));
  (void)take_session(llm, &arena, &parts);
  et_llm_session *session = parts.session;
  memcpy(session, &kEmpty, sizeof kEmpty);
  session->llm = llm;
  session->memory = memory;
  session->variant = &llm->base;
  session->tokens = parts.tokens;
  session->prompt = parts.prompt;
  session->positions = parts.positions;
  session->changed_scores = parts.changed_scores;
  session->uses = parts.uses;
  session->choices = parts.choices;
  session->text.bytes = parts.text;
  session->mask.vocabulary = llm->model.vocabulary;
  session->mask.tokens = llm->model.text_tokens;
  session->mask.matcher = parts.matcher;
  session->mask.matcher->levels = parts.levels;
  session->mask.bits = parts.mask;
  const et_chat_work work = {parts.message, llm->text_bytes, parts.symbols,
                             llm->text_bytes};
  session->work = work;
  atomic_init(&session->is_canceled, false);
  ET_RETURN_IF_ERROR(llm_load_methods(session, &llm->base, error));
  *out_session = session;
  return ET_STATUS_OK;
}

void et_llm_session_close(et_llm_session *session) {
  if (session != NULL) {
    llm_unload_methods(session);
  }
}
