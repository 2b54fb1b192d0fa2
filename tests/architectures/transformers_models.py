"""Small transformers models; the published variants differ only in size."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch.export import Dim

from tests.architectures.architecture import Architecture, KeywordModel, PartialModel, Subject, random_image
from tests.architectures.transformers_base import (
    DECODER,
    IMAGE,
    LENGTH,
    SIZES,
    T5,
    TEXT,
    TWO_STACKS,
    VOCABULARY,
    create_model,
    random_tokens,
    transformers,
)

_SOUND = {**SIZES, "conv_dim": [32] * 7, "vocab_size": 32}
_EXPERTS = {**DECODER, "num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 64}

# Options other than sizes, by model class. A second name is the configuration class.
_ENCODERS: dict[str, dict[str, Any]] = {
    "Bert": {},
    "Roberta": {},
    "DistilBert": {"dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 128},
    "Albert": {"embedding_size": 32},
    "Electra": {"embedding_size": 32},
    "Deberta": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "DebertaV2": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "MPNet": {},
    "XLNet": {"d_model": 64, "n_layer": 2, "n_head": 4, "d_inner": 128},
    "Longformer": {"attention_window": 8},
    "MobileBert": {"embedding_size": 32, "intra_bottleneck_size": 32, "true_hidden_size": 32},
    "SqueezeBert": {"embedding_size": 64},
    "ConvBert": {"embedding_size": 32},
    "ModernBert": {},
    "FNet": {"tpu_short_seq_length": LENGTH},
    "Nystromformer": {"segment_means_seq_len": LENGTH, "num_landmarks": 4},
    "Funnel": {
        "d_model": 64,
        "n_head": 4,
        "d_head": 16,
        "d_inner": 128,
        "block_sizes": [1, 1],
        "num_hidden_layers": None,
    },
    "XLM": {"emb_dim": 64, "n_layers": 2, "n_heads": 4},
    "Data2VecText": {},
    "Camembert": {},
    "Ernie": {},
    "XLMRoberta": {},
    "RemBert": {"input_embedding_size": 32},
    "RoFormer": {"embedding_size": 64},
    "BigBird": {"attention_type": "original_full"},
    "Esm": {"position_embedding_type": "rotary"},
    "MegatronBert": {},
    "EuroBert": {"num_key_value_heads": 2},
    "Splinter": {},
    "Canine": {"num_hash_buckets": 64, "local_transformer_stride": 8},
    "XLMRobertaXL": {},
    "RobertaPreLayerNorm": {},
    "Xmod": {"languages": ["en_XX"], "default_language": "en_XX"},
    "Lilt": {"hidden_size": 96},
    "LayoutLM": {},
    "NomicBert": {},
    "Tapas": {},
    "IBert": {"quant_mode": False},
    "Reformer": {
        "attn_layers": ["local", "local"],
        "local_attn_chunk_length": 4,
        "axial_pos_shape": [4, 4],
        "axial_pos_embds_dim": [32, 32],
        "feed_forward_size": 128,
        "attention_head_size": 16,
    },
    "T5Encoder": {},
    "UMT5Encoder": {},
}
_CONFIGURED_AS = {"T5Encoder": "T5", "UMT5Encoder": "UMT5"}

_DECODERS: dict[str, dict[str, Any]] = {
    "GPT2LMHead": {},
    "GPTNeo": {"attention_types": [[["global", "local"], 1]], "num_layers": 2, "num_heads": 4},
    "GPTNeoX": {},
    "GPTJ": {"rotary_dim": 8},
    "CodeGen": {"rotary_dim": 8, "n_embd": 64, "n_head": 4, "n_layer": 2},
    "GPTBigCode": {},
    "OPT": {"ffn_dim": 128, "word_embed_proj_dim": 64},
    "Bloom": {},
    "Falcon": {"head_dim": None},
    "Mpt": {"d_model": 64, "n_heads": 4, "n_layers": 2},
    "CTRLLMHead": {"n_embd": 64, "n_head": 4, "n_layer": 2, "dff": 128},
    "BioGpt": {},
    "XGLM": {"d_model": 64, "num_layers": 2, "attention_heads": 4, "ffn_dim": 128},
    "Llama": {},
    "Mistral": {},
    "Qwen2": {},
    "Qwen3": {},
    "Gemma": {},
    "Gemma2": {},
    "Gemma3": {},
    "Phi": {},
    "Phi3": {},
    "StableLm": {},
    "Olmo": {},
    "Olmo2": {},
    "Granite": {},
    "SmolLM3": {},
    "Cohere": {},
    "Cohere2": {},
    "Persimmon": {},
    "Starcoder2": {},
    "Helium": {},
    "Olmo3": {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 8},
    "Arcee": {},
    "Apertus": {},
    "SeedOss": {},
    "Exaone4": {"layer_types": ["full_attention", "full_attention"]},
    "Ernie4_5": {},
    "HunYuanDenseV1": {},
    "DiffLlama": {},
    "Doge": {},
    "BitNet": {},
    "Glm4": {},
    "VaultGemma": {},
    "NanoChat": {},
    "ModernBertDecoder": {},
    "Glm": {},
    "Nemotron": {},
    "Lfm2": {"layer_types": ["conv", "full_attention"]},
    "RecurrentGemma": {"lru_width": 64, "attention_window_size": 8},
    "Mamba": {"state_size": 8},
    "Mamba2": {"num_heads": 8, "n_groups": 1, "state_size": 8, "expand": 2, "chunk_size": 8},
    "FalconMamba": {"state_size": 8},
    "Rwkv": {"attention_hidden_size": 64},
    "Bamba": {
        "attn_layer_indices": [1],
        "mamba_n_heads": 8,
        "mamba_d_head": 16,
        "mamba_d_state": 8,
        "mamba_chunk_size": 8,
    },
    "FalconH1": {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_ssm": 128, "mamba_d_state": 8, "mamba_chunk_size": 8},
    "Zamba2": {"layers_block_type": ["mamba", "hybrid"], "mamba_d_state": 8, "n_mamba_heads": 8, "chunk_size": 8},
    "xLSTM": {
        "num_blocks": 2,
        "num_heads": 4,
        "chunkwise_kernel": "chunkwise--native_autograd",
        "sequence_kernel": "native_sequence__native",
    },
}
_MIXTURES: dict[str, dict[str, Any]] = {
    "Mixtral": {},
    "Qwen2Moe": {"shared_expert_intermediate_size": 64},
    "Qwen3Moe": {},
    "Olmoe": {},
    "Phimoe": {},
    "GptOss": {"layer_types": ["full_attention", "full_attention"]},
    "GraniteMoe": {},
    "DeepseekV3": {
        "n_routed_experts": 4,
        "n_group": 2,
        "topk_group": 1,
        "first_k_dense_replace": 1,
        "q_lora_rank": 32,
        "kv_lora_rank": 16,
        "qk_rope_head_dim": 8,
        "qk_nope_head_dim": 8,
        "v_head_dim": 16,
        "head_dim": 8,
        "num_key_value_heads": 4,
    },
    "Qwen3Next": {
        "layer_types": ["linear_attention", "full_attention"],
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "linear_key_head_dim": 16,
        "linear_value_head_dim": 16,
        "shared_expert_intermediate_size": 64,
    },
    "Jamba": {"mamba_d_state": 8, "attn_layer_period": 2, "attn_layer_offset": 1, "use_mamba_kernels": False},
    "MiniMax": {"layer_types": ["linear_attention", "full_attention"], "block_size": 8},
    "Dots1": {"n_routed_experts": 4, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1, "n_shared_experts": 1},
    "Ernie4_5_Moe": {"moe_num_experts": 4, "moe_k": 2, "moe_num_shared_experts": 1},
}
_TRANSLATORS: dict[str, dict[str, Any]] = {
    "Bart": TWO_STACKS,
    "MBart": TWO_STACKS,
    "Pegasus": TWO_STACKS,
    "Marian": {**TWO_STACKS, "decoder_vocab_size": VOCABULARY},
    "Blenderbot": TWO_STACKS,
    "M2M100": TWO_STACKS,
    "BlenderbotSmall": TWO_STACKS,
    "PLBart": TWO_STACKS,
    "Mvp": TWO_STACKS,
    "BigBirdPegasus": {**TWO_STACKS, "attention_type": "original_full"},
    "PegasusX": {**TWO_STACKS, "block_size": 8, "num_global_tokens": 4},
    "ProphetNet": {
        "vocab_size": VOCABULARY,
        "hidden_size": 64,
        "encoder_ffn_dim": 128,
        "decoder_ffn_dim": 128,
        "num_encoder_layers": 2,
        "num_decoder_layers": 2,
        "num_encoder_attention_heads": 4,
        "num_decoder_attention_heads": 4,
        "decoder_start_token_id": 1,
    },
    "MT5": T5,
    "LED": {**TWO_STACKS, "attention_window": 8},
    "T5": T5,
    "LongT5": T5,
    "SwitchTransformers": {**T5, "num_experts": 2, "num_sparse_encoder_layers": 0, "num_sparse_decoder_layers": 0},
}
# Their masks have no defaults during export.
_MASKED = {"LongT5", "SwitchTransformers"}
_DEPTHS = {"hidden_sizes": [16, 32, 32, 64], "depths": [1, 1, 1, 1]}
_WINDOWS = {"image_size": 64, "embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2], "window_size": 4, "patch_size": 4}
_EYES: dict[str, dict[str, Any]] = {
    "ViT": {},
    "DeiT": {},
    "Beit": {},
    "Dinov2": {},
    "DINOv3ViT": {},
    "ViTMSN": {},
    "Data2VecVision": {},
    "CLIPVision": {},
    "SiglipVision": {},
    "Swin": _WINDOWS,
    "Swinv2": _WINDOWS,
    "ConvNext": _DEPTHS,
    "ConvNextV2": _DEPTHS,
    "ResNet": {**_DEPTHS, "embedding_size": 16},
    "RegNet": {**_DEPTHS, "embedding_size": 16, "groups_width": 8},
    "PoolFormer": {},
    "Pvt": {},
    "MobileNetV1": {},
    "MobileNetV2": {},
    "MobileViT": {},
    "EfficientNet": {},
    "Cvt": {"embed_dim": [16, 32, 48], "num_heads": [1, 2, 3], "depth": [1, 2, 10]},
    "Levit": {"hidden_sizes": [32, 48, 64], "num_attention_heads": [2, 2, 2], "depths": [1, 1, 1], "image_size": 64},
    "FocalNet": {"image_size": 64, "embed_dim": 16, "depths": [1, 1, 1, 1]},
    "Hiera": {
        "image_size": [64, 64],
        "embed_dim": 16,
        "depths": [1, 1, 1, 1],
        "num_heads": [1, 2, 4, 8],
        "num_query_pool": 1,
    },
    "PvtV2": {"image_size": 64, "depths": [1, 1, 1, 1], "hidden_sizes": [16, 32, 80, 128]},
    "SwiftFormer": {"depths": [1, 1, 2, 1], "embed_dims": [16, 32, 48, 64]},
    "MobileViTV2": {"image_size": 64, "width_multiplier": 0.5},
    "TextNet": {},
    "Bit": {**_DEPTHS, "embedding_size": 16, "num_groups": 4},
    "IJepa": {},
    "Dinov2WithRegisters": {},
    "DINOv3ConvNext": _DEPTHS,
    "Aimv2Vision": {},
    "Swin2SRForImageSuperResolution": {"embed_dim": 24, "depths": [1, 1], "num_heads": [2, 2], "image_size": 64},
    "SegformerForSemanticSegmentation": {"num_attention_heads": [1, 2, 5, 8]},
    "YolosForObjectDetection": {"image_size": [64, 64], "num_detection_tokens": 10},
    "DPTForDepthEstimation": {
        "num_hidden_layers": 4,
        "backbone_out_indices": [0, 1, 2, 3],
        "neck_hidden_sizes": [16] * 4,
    },
}
# Their layer sizes are lists of integers, or do not exist.
_UNEVEN_EYES = {
    "Swin",
    "Swinv2",
    "ConvNext",
    "ConvNextV2",
    "ResNet",
    "RegNet",
    "PoolFormer",
    "Pvt",
    "MobileNetV1",
    "MobileNetV2",
}
_UNEVEN_EYES |= {"MobileViT", "EfficientNet", "SegformerForSemanticSegmentation"}
_UNEVEN_EYES |= {"Cvt", "Levit", "FocalNet", "Hiera", "PvtV2", "SwiftFormer", "MobileViTV2", "TextNet", "Bit"}
_UNEVEN_EYES |= {"DINOv3ConvNext", "Swin2SRForImageSuperResolution"}
_EYE_OF_224 = "Pvt"
_EARS: dict[str, dict[str, Any]] = {
    "Wav2Vec2ForCTC": {},
    "HubertForCTC": {},
    "Data2VecAudioForCTC": {},
    "WavLMForCTC": {},
    "UniSpeechForCTC": {},
    "UniSpeechSatForCTC": {},
    "Wav2Vec2ConformerForCTC": {"position_embeddings_type": "relative"},
    "SEWDForCTC": {"squeeze_factor": 1, "conv_stride": [5, 2, 2, 2, 2, 2, 2], "conv_kernel": [10, 3, 3, 3, 3, 2, 2]},
    "SEWForCTC": {"squeeze_factor": 1, "conv_stride": [5, 2, 2, 2, 2, 2, 2], "conv_kernel": [10, 3, 3, 3, 3, 2, 2]},
}


_TASK = r"For[A-Z]\w+$"


def _reader(model: str, config: str, **options: Any) -> Subject:
    return Subject(KeywordModel(create_model(model, config, **options), ["input_ids"]), ((random_tokens(),),))


def _reader_of_any_length(model: str, config: str, longest: int | None = 64, **options: Any) -> Subject:
    """Export a model with a dynamic length, which is unbounded if `longest` is None."""
    length = Dim("length", min=2, max=longest) if longest else Dim("length", min=2)
    module = KeywordModel(create_model(model, config, **options), ["input_ids"])
    return Subject(module, ((random_tokens(),), (random_tokens(3),)), {"inputs": ({1: length},)})


def _translator(name: str, **options: Any) -> Subject:
    model = create_model(
        f"{name}ForConditionalGeneration" if name != "Marian" else "MarianMTModel", f"{name}Config", **options
    )
    if name in _MASKED:
        inputs = (random_tokens(), torch.ones(1, LENGTH, dtype=torch.int64), random_tokens(5))
        return Subject(KeywordModel(model, ["input_ids", "attention_mask", "decoder_input_ids"]), (inputs,))
    return Subject(KeywordModel(model, ["input_ids", "decoder_input_ids"]), ((random_tokens(), random_tokens(5)),))


def _eye(name: str, **options: Any) -> Subject:
    stem = re.sub(_TASK, "", name)
    model = name if stem != name else f"{name}Model"
    module = create_model(model, f"{stem}Config", **{**({} if name in _UNEVEN_EYES else IMAGE), **options})
    return Subject(KeywordModel(module, ["pixel_values"]), (random_image(224 if name == _EYE_OF_224 else 64),))


def _ear(name: str, **options: Any) -> Subject:
    model = create_model(name, f"{name.partition('For')[0]}Config", **{**_SOUND, **options})
    return Subject(KeywordModel(model, ["input_values"]), ((torch.randn(1, 8000),),))


def _mixture(name: str, experts: str, **options: Any) -> Subject:
    """Create a mixture of experts; `experts` selects transformers' implementation."""
    model = create_model(f"{name}ForCausalLM", f"{name}Config", **{**_EXPERTS, **options})
    model.set_experts_implementation(experts)
    return Subject(KeywordModel(model, ["input_ids"]), ((random_tokens(),),))


def _cached_decoder(name: str) -> Subject:
    """Create a decoder with a static cache; each call continues the previous one."""
    package = transformers()
    model = getattr(package, f"{name}ForCausalLM")(getattr(package, f"{name}Config")(**DECODER))
    cache = {"batch_size": 1, "max_cache_len": 32}
    model.generation_config = package.GenerationConfig(
        use_cache=True, cache_implementation="static", max_length=32, cache_config=cache
    )
    wrappers = importlib.import_module("transformers.integrations.executorch")
    module = wrappers.TorchExportableModuleWithStaticCache(model)
    part = PartialModel(module, lambda decoder, token, at: decoder(input_ids=token, cache_position=at))
    return Subject(part, tuple((random_tokens(1), torch.tensor([position])) for position in range(3)))


def _whisper_config() -> dict[str, Any]:
    return {**TWO_STACKS, "max_source_positions": 100, "max_target_positions": 64, "num_mel_bins": 80}


def _whisper_encoder() -> Subject:
    model = create_model("WhisperModel", "WhisperConfig", **_whisper_config())
    return Subject(KeywordModel(model.get_encoder(), ["input_features"]), ((torch.randn(1, 80, 200),),))


def _whisper() -> Subject:
    model = create_model("WhisperForConditionalGeneration", "WhisperConfig", **_whisper_config())
    keywords = ["input_features", "decoder_input_ids"]
    return Subject(KeywordModel(model, keywords), ((torch.randn(1, 80, 200), random_tokens(5)),))


def _clip() -> Subject:
    """Create both encoders of CLIP, and their similarity."""
    sides = {"text_config": {**TEXT}, "vision_config": {**IMAGE}, "projection_dim": 32}
    module = KeywordModel(
        create_model("CLIPModel", "CLIPConfig", **sides), ["input_ids", "pixel_values"], ["logits_per_image"]
    )
    return Subject(module, ((torch.randint(3, 100, (2, LENGTH)), *random_image(64)),))


def _detr() -> Subject:
    backbone = {"model_type": "resnet", **_DEPTHS, "embedding_size": 16, "out_features": ["stage4"]}
    package = transformers()
    options = {**TWO_STACKS, "backbone_config": package.ResNetConfig(**backbone), "num_queries": 10}
    options |= {"use_timm_backbone": False, "use_pretrained_backbone": False, "backbone": None}
    module = KeywordModel(
        create_model("DetrForObjectDetection", "DetrConfig", **options), ["pixel_values"], ["logits", "pred_boxes"]
    )
    return Subject(module, (random_image(64),))


def _depth() -> Subject:
    model = create_model("DepthAnythingForDepthEstimation", "DepthAnythingConfig")
    return Subject(KeywordModel(model, ["pixel_values"]), (random_image(56),))


def _encodec(call: Callable[..., Any], *inputs: torch.Tensor) -> Subject:
    sizes = {"num_filters": 8, "upsampling_ratios": [4, 2], "hidden_size": 32, "codebook_dim": 32}
    sizes |= {"codebook_size": 64, "use_causal_conv": True}
    return Subject(PartialModel(create_model("EncodecModel", "EncodecConfig", **sizes), call), (inputs,))


def _musicgen_decoder() -> Subject:
    options = {**TEXT, "num_codebooks": 4, "ffn_dim": 128, "vocab_size": 64}
    model = create_model("MusicgenForCausalLM", "MusicgenDecoderConfig", **options)
    return Subject(KeywordModel(model, ["input_ids"]), ((torch.randint(0, 60, (4, LENGTH)),),))


_SINGLE: dict[str, Callable[[], Subject]] = {
    "BertModel, length up to 64": lambda: _reader_of_any_length("BertModel", "BertConfig", **TEXT),
    "BertModel, any length": lambda: _reader_of_any_length("BertModel", "BertConfig", None, **TEXT),
    "LlamaForCausalLM, length up to 64": lambda: _reader_of_any_length("LlamaForCausalLM", "LlamaConfig", **DECODER),
    "LlamaForCausalLM, any length": lambda: _reader_of_any_length("LlamaForCausalLM", "LlamaConfig", None, **DECODER),
    "GPT2LMHeadModel, length up to 64": lambda: _reader_of_any_length("GPT2LMHeadModel", "GPT2Config", **TEXT),
    "LlamaForCausalLM, static cache": lambda: _cached_decoder("Llama"),
    "Qwen3ForCausalLM, static cache": lambda: _cached_decoder("Qwen3"),
    "WhisperModel, encoder": _whisper_encoder,
    "WhisperForConditionalGeneration": _whisper,
    "CLIPModel": _clip,
    "DetrForObjectDetection": _detr,
    "DepthAnythingForDepthEstimation": _depth,
    "EncodecModel, encoder": lambda: _encodec(lambda codec, x: codec.encoder(x), torch.randn(1, 1, 320)),
    "EncodecModel, decoder": lambda: _encodec(lambda codec, x: codec.decoder(x), torch.randn(1, 32, 40)),
    "EncodecModel, quantizer": lambda: _encodec(
        lambda codec, x: codec.quantizer.encode(x, 6.0), torch.randn(1, 32, 40)
    ),
    "MusicgenForCausalLM": _musicgen_decoder,
}


def _in_tables() -> Iterator[tuple[str, Callable[[], Subject]]]:
    for name, extra in _ENCODERS.items():
        options = {**TEXT, **(T5 if name in _CONFIGURED_AS else {}), **extra}
        config = f"{_CONFIGURED_AS.get(name, name)}Config"
        yield f"{name}Model", partial(_reader, f"{name}Model", config, **options)
    for name, extra in _DECODERS.items():
        model = f"{name}Model" if name.endswith("LMHead") else f"{name}ForCausalLM"
        config = {"Gemma3": "Gemma3Text"}.get(name, name.removesuffix("LMHead")) + "Config"
        options = {**DECODER, **extra}
        yield model, partial(_reader, model, config, **options)
    for name, extra in _MIXTURES.items():
        for experts in ("batched_mm", "grouped_mm"):
            title = f"{name}ForCausalLM, experts by {experts}"
            yield title, partial(_mixture, name, experts, **extra)
    for table, make in ((_TRANSLATORS, _translator), (_EYES, _eye), (_EARS, _ear)):
        for name, options in table.items():
            yield name, partial(make, name, **options)


def architectures() -> Iterator[Architecture]:
    for name, make in [*_in_tables(), *_SINGLE.items()]:
        yield Architecture("transformers", name, make)
