"""Programs whose payloads have every kind of op."""

CPU_PROGRAMS = ["//tests/feature_models:%s_pte" % name for name in [
    "text_encoder",
    "float16_kv_cache",
    "convolutions",
    "kv_cache_decoder",
    "decoder_cpu",
    "encoder_cpu",
    "mixture_of_experts_bfloat16",
    "mixture_of_experts_float32",
    "tiled_winograd",
    "float16_weights",
    "bfloat16_module",
    "strassen",
    "attention_masks",
    "block_minima",
    "int8_winograd",
    "quantized_cnn_cpu",
    "quantized_lut_cpu",
    "volumes",
    "image_to_image",
    "lowering_examples",
]]
