/* Generated from {LABEL}. Do not edit. */
#include "bindings/java/jni/llm.h"

#include <stddef.h>

{INCLUDES}
const char *const et_java_llm_class = "{CLASS_PATH}Natives";

const et_llm_model *const et_java_llm_model = &{SYMBOL};

const et_grammar *const et_java_llm_grammars[] = {
{GRAMMARS}    NULL,
};
