#include "models/chat/decoder.h"

et_status decoder_load(decoder *decoder, const et_method_options *options,
                       et_error *error) {
  decoder->length = 0;
  ET_RETURN_IF_ERROR(chat_prefill_load(&decoder->prefill_memory, options,
                                       &decoder->cache, &decoder->prefill,
                                       error));
  return chat_decode_load(&decoder->decode_memory, options, &decoder->cache,
                          &decoder->decode, error);
}

/* Runs prefill on 2 to kDecoderChunk tokens. */
static et_status prefill(decoder *decoder, const int64_t *tokens, int32_t count,
                         const float **scores, et_error *error) {
  int64_t positions[kDecoderChunk];
  for (int32_t i = 0; i < count; ++i) {
    positions[i] = (int64_t)decoder->length + i;
  }
  const int32_t sizes[2] = {1, count};
  ET_RETURN_IF_ERROR(chat_prefill_set_tokens(decoder->prefill, tokens,
                                             (size_t)count, sizes, error));
  ET_RETURN_IF_ERROR(chat_prefill_set_positions(decoder->prefill, positions,
                                                (size_t)count, &count, error));
  ET_RETURN_IF_ERROR(chat_prefill_execute(decoder->prefill, error));
  return chat_prefill_get_output_0(decoder->prefill, scores, error);
}

static et_status decode(decoder *decoder, int64_t token, const float **scores,
                        et_error *error) {
  const int64_t position = (int64_t)decoder->length;
  ET_RETURN_IF_ERROR(chat_decode_set_tokens(decoder->decode, &token, error));
  ET_RETURN_IF_ERROR(
      chat_decode_set_positions(decoder->decode, &position, error));
  ET_RETURN_IF_ERROR(chat_decode_execute(decoder->decode, error));
  return chat_decode_get_output_0(decoder->decode, scores, error);
}

et_status decoder_take(decoder *decoder, const int64_t *tokens, size_t count,
                       const float **scores, et_error *error) {
  if (count > kDecoderContext - decoder->length) {
    return et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                   "the conversation has %zu tokens, and %zu more exceed the "
                   "limit of %d; start a new one",
                   decoder->length, count, kDecoderContext);
  }
  for (size_t taken = 0; taken < count;) {
    const size_t left = count - taken;
    const size_t part = left < kDecoderChunk ? left : kDecoderChunk;
    ET_RETURN_IF_ERROR(part == 1 ? decode(decoder, tokens[taken], scores, error)
                                 : prefill(decoder, tokens + taken,
                                           (int32_t)part, scores, error));
    decoder->length += part;
    taken += part;
  }
  return ET_STATUS_OK;
}
