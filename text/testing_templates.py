"""Chat templates with the behavior of model families.

    python -m text.testing_templates FAMILY TOKENIZER-CONFIG.json TEMPLATE.jinja

The families are the keys of `OF_VOCABULARIES`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

# The roles of user and assistant must alternate.
_ALTERNATING = (
    "{% if (m.role == 'user') != (loop.index0 is even) %}{{ raise_exception('roles must alternate') }}{% endif %}"
)

CHATML = (
    "{% for m in messages %}{% if loop.first and m.role != 'system' %}<|im_start|>system\nHelp.<|im_end|>\n{% endif %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
GEMMA2 = (
    "{{ bos_token }}{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    "{% for m in messages %}" + _ALTERNATING + "<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n"
    "{{ m.content | trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
GEMMA3 = (
    "{{ bos_token }}{% set first = '' %}{% set turns = messages %}"
    "{% if messages[0].role == 'system' %}{% set turns = messages[1:] %}"
    "{% set first = (messages[0].content if messages[0].content is string else messages[0].content[0].text) + '\n\n' %}"
    "{% endif %}{% for m in turns %}"
    + _ALTERNATING
    + "<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n"
    "{{ first if loop.first }}{% if m.content is string %}{{ m.content | trim }}{% endif %}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)
LLAMA2 = (
    "{% if messages[0].role == 'system' %}{% set turns = messages[1:] %}{% set system = messages[0].content %}"
    "{% else %}{% set turns = messages %}{% set system = false %}{% endif %}"
    "{% for m in turns %}" + _ALTERNATING + "{% set content = m.content %}"
    "{% if loop.first and system != false %}{% set content = '<<SYS>>\n' + system + '\n<</SYS>>\n\n' + content %}{% endif %}"
    "{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' if m.role == 'user' else ' ' + content.strip() + ' ' + eos_token }}"
    "{% endfor %}"
)
LLAMA3 = (
    "{{- bos_token }}{%- if not tools is defined %}{%- set tools = none %}{%- endif %}"
    "{%- set today = strftime_now('%d %b %Y') if strftime_now is defined else '26 Jul 2024' %}"
    "{%- if messages[0]['role'] == 'system' %}{%- set system = messages[0]['content'] | trim %}{%- set messages = messages[1:] %}"
    "{%- else %}{%- set system = '' %}{%- endif %}"
    "{{- '<|start_header_id|>system<|end_header_id|>\n\n' }}{%- if tools is not none %}{{- 'Tools: ' }}{%- endif %}"
    "{{- 'Today: ' + today + '\n\n' + system + '<|eot_id|>' }}"
    "{%- for m in messages %}{{- '<|start_header_id|>' + m['role'] + '<|end_header_id|>\n\n' + m['content'] | trim + '<|eot_id|>' }}"
    "{%- endfor %}{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{%- endif %}"
)
MISTRAL_FIRST = (
    "{{ bos_token }}{% set turns = messages %}{% set system = '' %}"
    "{% if messages[0].role == 'system' %}{% set system = messages[0].content + '\n\n' %}{% set turns = messages[1:] %}{% endif %}"
    "{% for m in turns %}" + _ALTERNATING + "{{ ' [INST] ' + (system if loop.first else '') + m.content + ' [/INST]' "
    "if m.role == 'user' else ' ' + m.content + eos_token }}{% endfor %}"
)
MISTRAL_LAST = (
    "{{ bos_token }}{% set turns = messages %}"
    "{% if messages[0].role == 'system' %}{% set system = messages[0].content %}{% set turns = messages[1:] %}{% endif %}"
    "{% for m in turns %}" + _ALTERNATING + "{% if m.role == 'user' and loop.last and system is defined %}"
    "[INST]{{ system + '\n\n' + m.content }}[/INST]{% elif m.role == 'user' %}[INST]{{ m.content }}[/INST]"
    "{% else %}{{ m.content + eos_token }}{% endif %}{% endfor %}"
)
QWEN3 = (
    "{%- if tools %}{{- '<|im_start|>system\nTools: ' + tools | tojson }}"
    "{%- elif messages[0].role == 'system' %}{{- '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}{%- endif %}"
    "{%- set ns = namespace(query=true, last=messages | length - 1) %}"
    "{%- for m in messages[::-1] %}{%- set index = messages | length - 1 - loop.index0 %}"
    "{%- if ns.query and m.role == 'user' and m.content is string and not m.content.startswith('<tool_response>') %}"
    "{%- set ns.query = false %}{%- set ns.last = index %}{%- endif %}{%- endfor %}"
    "{%- for m in messages %}{%- set content = m.content if m.content is string else '' %}"
    "{%- if m.role == 'user' or (m.role == 'system' and not loop.first) %}"
    "{{- '<|im_start|>' + m.role + '\n' + content + '<|im_end|>' + '\n' }}"
    "{%- elif m.role == 'assistant' %}{%- set thought = '' %}"
    "{%- if '</think>' in content %}"
    "{%- set thought = content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}"
    "{%- set content = content.split('</think>')[-1].lstrip('\n') %}{%- endif %}"
    "{%- if loop.index0 > ns.last and (loop.last or thought) %}"
    "{{- '<|im_start|>assistant\n<think>\n' + thought.strip('\n') + '\n</think>\n\n' + content.lstrip('\n') }}"
    "{%- else %}{{- '<|im_start|>assistant\n' + content }}{%- endif %}"
    "{%- for call in m.tool_calls %}{{- call | tojson }}{%- endfor %}{{- '<|im_end|>\n' }}{%- endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\n\n</think>\n\n' }}{%- endif %}{%- endif %}"
)
QWEN3_WITHOUT_THINKING = "{%- set enable_thinking = false %}" + QWEN3
PHI3 = (
    "{% for m in messages %}{{ '<|' + m.role + '|>\n' + m.content + '<|end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}"
)
PHI4 = (
    "{% for m in messages %}{% if m.role in ('system', 'user', 'assistant') %}"
    "{{ '<|' + m.role + '|>' + m.content + '<|end|>' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% else %}{{ eos_token }}{% endif %}"
)
OLMO2 = (
    "{{ bos_token }}{% for m in messages %}{{ '<|' + m.role + '|>\n' + m.content }}"
    "{% if m.role == 'assistant' %}{{ eos_token if loop.last else eos_token + '\n' }}{% else %}{{ '\n' }}{% endif %}"
    "{% if loop.last and add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}{% endfor %}"
)
GRANITE = (
    "{%- if messages[0]['role'] == 'system' %}{%- set system = messages[0]['content'] %}{%- set turns = messages[1:] %}"
    "{%- else %}{%- set system = 'Today is ' + strftime_now('%B %d, %Y') + '.' %}{%- set turns = messages %}{%- endif %}"
    "{{- '<|start_of_role|>system<|end_of_role|>' + system + '<|end_of_text|>\n' }}{%- for m in turns %}"
    "{{- '<|start_of_role|>' + m['role'] + '<|end_of_role|>' + m['content'] + '<|end_of_text|>\n' }}"
    "{%- if loop.last and add_generation_prompt %}{{- '<|start_of_role|>assistant<|end_of_role|>' }}{%- endif %}{%- endfor %}"
)
GRANITE_WITH_DATE = "{% macro strftime_now(format) %}26 July 2024{% endmacro %}" + GRANITE
# SmolLM3 has the tags of training, and takes options from the system message.
SMOLLM3 = (
    "{%- set mode = '/think' %}{%- set extra = '' %}{%- set turns = messages %}"
    "{%- if messages[0].role == 'system' %}{%- set extra = messages[0].content %}{%- set turns = messages[1:] %}"
    "{%- if '/no_think' in extra %}{%- set mode = '/no_think' %}{%- endif %}"
    "{%- set extra = extra.replace('/no_think', '').replace('/think', '').rstrip() %}{%- endif %}"
    "{{- '<|im_start|>system\n## Metadata\n\nReasoning: ' + mode + '\n\n## Instructions\n\n' }}"
    "{%- if extra %}{{- extra + '\n\n' }}{%- else %}{{- 'You are helpful.\n\n' }}{%- endif %}{{- '<|im_end|>\n' }}"
    "{%- for m in turns %}{%- if m.role == 'user' %}{{- '<|im_start|>user\n' + m.content + '<|im_end|>\n' }}"
    "{%- else %}{% generation %}{{- '<|im_start|>assistant\n' + m.content.lstrip('\n') + '<|im_end|>\n' }}{% endgeneration %}"
    "{%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}"
)

SUPPORTED = {
    "chatml": CHATML,
    "gemma2": GEMMA2,
    "gemma3": GEMMA3,
    "llama2": LLAMA2,
    "llama3": LLAMA3,
    "mistral_first": MISTRAL_FIRST,
    "mistral_last": MISTRAL_LAST,
    "qwen3": QWEN3,
    "qwen3_without_thinking": QWEN3_WITHOUT_THINKING,
    "phi3": PHI3,
    "phi4": PHI4,
    "olmo2": OLMO2,
    "granite": GRANITE_WITH_DATE,
    "smollm3": SMOLLM3,
}

# Templates for the vocabularies of text/testing_families.py, with the tokens that begin and end texts.
OF_VOCABULARIES = {
    "gemma": (GEMMA3, "<s>", "</s>"),
    "llama2": (LLAMA2, "<s>", "</s>"),
    "llama3": (LLAMA3, None, "<|end|>"),
    "mistral": (MISTRAL_FIRST, "<s>", "</s>"),
    "phi4": (PHI4, None, "<|end|>"),
    "qwen2": (QWEN3.replace("<|im_end|>", "<|end|>"), None, "<|end|>"),
}

if __name__ == "__main__":
    family, config_path, template_path = sys.argv[1:]
    template, begin, end = OF_VOCABULARIES[family]
    Path(config_path).write_text(json.dumps({"bos_token": begin, "eos_token": end}), encoding="utf-8")
    Path(template_path).write_text(template, encoding="utf-8")
