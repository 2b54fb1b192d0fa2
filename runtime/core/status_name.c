/* Apart from status.c: the runtime itself says no names. */
#include "executorch/status.h"
#include "runtime/core/coded_texts.h"

const char *et_status_name(et_status status) {
#define ET_STATUS_CODE(name, code, text) code,
#define ET_STATUS_NAME(name, code, text) #name "\0"
  static const uint8_t codes[] = {ET_STATUS_LIST(ET_STATUS_CODE)};
  static const et_coded_texts names = {
      codes, sizeof codes, ET_STATUS_LIST(ET_STATUS_NAME) "UNKNOWN"};
#undef ET_STATUS_NAME
#undef ET_STATUS_CODE
  return et_coded_text(&names, (int32_t)status);
}
