#include "backends/xnnpack/runtime/handle.h"

#include <string.h>

static const char *const names[] = {"isa", "winograd"};

const et_backend_option *et_xnn_find_option(const et_backend_context *context,
                                            const char *name) {
  for (size_t i = 0; i < context->option_count; i++) {
    if (strcmp(context->options[i].key, name) == 0) {
      return &context->options[i];
    }
  }
  return NULL;
}

static et_status check_option(const et_backend_option *option,
                              et_error *error) {
  bool is_known = false;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    is_known = is_known || strcmp(option->key, names[i]) == 0;
  }
  return is_known && option->value.tag == ET_VALUE_STRING
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "option '%s' is unknown or not a string; pass 'isa' or "
                       "'winograd'",
                       option->key);
}

static bool is_word(const et_backend_option *option, const char *word) {
  const et_string text = option->value.u.as_string;
  return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

et_status et_xnn_read_options(const et_backend_context *context,
                              et_xnn_options *out) {
  *out = (et_xnn_options){.is_without_winograd = false};
  for (size_t i = 0; i < context->option_count; i++) {
    ET_RETURN_IF_ERROR(check_option(&context->options[i], context->error));
  }
  const et_backend_option *winograd = et_xnn_find_option(context, "winograd");
  if (winograd == NULL || is_word(winograd, "auto")) {
    return ET_STATUS_OK;
  }
  out->is_without_winograd = true;
  return is_word(winograd, "never")
             ? ET_STATUS_OK
             : et_fail(context->error, ET_STATUS_INVALID_ARGUMENT,
                       "option 'winograd' must be auto or never");
}
