/* The language model of a native library. Generated code defines it. */
#ifndef BINDINGS_JAVA_JNI_LLM_H_
#define BINDINGS_JAVA_JNI_LLM_H_

#include <stddef.h>

#include "executorch/llm/llm.h"

/* The class with the native functions, such as "app/AssistantNatives". */
extern const char *const et_java_llm_class;

extern const et_llm_model *const et_java_llm_model;

/* The grammars that Java selects by index. NULL follows the last one. */
extern const et_grammar *const et_java_llm_grammars[];

#endif /* BINDINGS_JAVA_JNI_LLM_H_ */
