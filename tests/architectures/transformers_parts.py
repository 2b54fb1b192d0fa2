"""Architectures of transformers with special inputs or outputs.

They are for time series, detection, segmentation, audio, and generation with a cache.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.export import Dim

from tests.architectures.architecture import Architecture, KeywordModel, PartialModel, Subject, random_image
from tests.architectures.transformers_base import (
    IMAGE,
    SIZES,
    T5,
    TEXT,
    TWO_STACKS,
    create_model,
    random_tokens,
    transformers,
)

_STACKS = {**TWO_STACKS, "encoder_layers": 1, "decoder_layers": 1}
_RESNET = {"hidden_sizes": [16, 16, 32, 64], "depths": [1, 1, 1, 1], "embedding_size": 16}
_QUERIES = 10


# Time series: forecasting.


def _patches(name: str, batch: bool = False) -> Subject:
    """Create a patch-based model; `batch` makes the number of series dynamic."""
    options = {
        "num_input_channels": 3,
        "context_length": 32,
        "prediction_length": 8,
        "patch_length": 8,
        "patch_stride": 4,
    }
    options |= {"d_model": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 64, "num_layers": 2}
    module = KeywordModel(create_model(f"{name}ForPrediction", f"{name}Config", **options, loss="mse"), ["past_values"])
    if not batch:
        return Subject(module, ((torch.randn(2, 32, 3),),))
    shapes = {"inputs": ({0: Dim("batch", min=2, max=8)},)}
    return Subject(module, ((torch.randn(3, 32, 3),), (torch.randn(5, 32, 3),)), shapes)


def _forecaster(name: str) -> Subject:
    """Create an encoder-decoder forecaster that returns its hidden states."""
    options = {"prediction_length": 4, "context_length": 8, "lags_sequence": [1, 2, 3], "num_time_features": 1}
    options |= {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "label_length": 4}
    # transformers' mask check rejects its length reduction during the export.
    options |= {"distil": False} if name == "Informer" else {}
    model = create_model(f"{name}Model", f"{name}Config", **options, is_encoder_decoder=True)
    past, future = 8 + 3, 4
    keywords = ["past_values", "past_time_features", "past_observed_mask", "future_values", "future_time_features"]
    inputs = (
        torch.randn(2, past),
        torch.randn(2, past, 1),
        torch.ones(2, past),
        torch.randn(2, future),
        torch.randn(2, future, 1),
    )
    return Subject(KeywordModel(model, keywords, ["last_hidden_state"]), (inputs,))


def _decisions() -> Subject:
    options = {"state_dim": 6, "act_dim": 3, "hidden_size": 64, "n_layer": 2, "n_head": 4, "max_ep_len": 32}
    model = create_model("DecisionTransformerModel", "DecisionTransformerConfig", **options)
    steps = torch.arange(5)[None]
    inputs = (torch.randn(1, 5, 6), torch.randn(1, 5, 3), torch.randn(1, 5, 1), steps, torch.ones(1, 5))
    keywords = ["states", "actions", "returns_to_go", "timesteps", "attention_mask"]
    return Subject(KeywordModel(model, keywords, ["state_preds", "action_preds", "return_preds"]), (inputs,))


# Images: boxes, masks, points and depth.


def _resnet(*stages: str) -> Any:
    return transformers().ResNetConfig(**_RESNET, out_features=list(stages))


def _boxes(name: str, size: int = 64, **options: Any) -> Subject:
    model = create_model(f"{name}ForObjectDetection", f"{name}Config", num_queries=_QUERIES, **options)
    if hasattr(model.model, "enc_score_head"):
        _give_scores(model)
    return Subject(KeywordModel(model, ["pixel_values"], ["logits", "pred_boxes"]), (random_image(size),))


def _give_scores(model: nn.Module) -> None:
    """Initialize the weights so that scores differ.

    With the default weights, all scores are equal, and the selection would be arbitrary.
    """
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight)
        elif isinstance(module, nn.Linear):
            nn.init.xavier_normal_(module.weight)


def _real_time(name: str) -> Subject:
    backbone = transformers().RTDetrResNetConfig(
        hidden_sizes=[16, 16, 32, 64],
        depths=[1, 1, 1, 1],
        embedding_size=16,
        out_features=["stage2", "stage3", "stage4"],
    )
    if name == "DFine":
        backbone = transformers().HGNetV2Config(
            stem_channels=[3, 8, 16],
            hidden_sizes=[32, 48, 64, 96],
            stage_in_channels=[16, 32, 48, 64],
            stage_mid_channels=[8, 16, 24, 32],
            stage_out_channels=[32, 48, 64, 96],
            stage_num_blocks=[1, 1, 1, 1],
            stage_numb_of_layers=[2, 2, 2, 2],
            out_features=["stage2", "stage3", "stage4"],
        )
    channels = [48, 64, 96] if name == "DFine" else [16, 32, 64]
    options = {
        "encoder_hidden_dim": 32,
        "d_model": 32,
        "encoder_in_channels": channels,
        "decoder_in_channels": [32] * 3,
    }
    options |= {"encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "decoder_layers": 2, "encoder_attention_heads": 4}
    options |= {"decoder_attention_heads": 4, "num_denoising": 0, "backbone_config": backbone}
    return _boxes(name, 96, **options)


def _stacked_boxes(name: str, *stages: str, **options: Any) -> Subject:
    return _boxes(name, **{**_STACKS, "backbone_config": _resnet(*stages), **options})


def _masks(name: str) -> Subject:
    options = {"feature_size": 32, "mask_feature_size": 32, "hidden_dim": 32, "encoder_feedforward_dim": 64}
    options |= {"encoder_layers": 1, "decoder_layers": 3, "num_attention_heads": 4, "dim_feedforward": 64}
    backbone = transformers().SwinConfig(
        image_size=64,
        embed_dim=16,
        depths=[1] * 4,
        num_heads=[2] * 4,
        out_features=["stage1", "stage2", "stage3", "stage4"],
    )
    if name == "MaskFormer":
        options = {"fpn_feature_size": 32, "mask_feature_size": 32}
        options["decoder_config"] = transformers().DetrConfig(**{**_STACKS, "num_queries": _QUERIES})
    model = create_model(f"{name}Model", f"{name}Config", **options, num_queries=_QUERIES, backbone_config=backbone)
    return Subject(
        KeywordModel(model, ["pixel_values"], ["transformer_decoder_last_hidden_state"]), (random_image(64),)
    )


def _pyramid() -> Subject:
    options = {"hidden_size": 32, "use_auxiliary_head": False, "num_labels": 5}
    backbone = transformers().ConvNextConfig(
        hidden_sizes=[16, 24, 32, 48], depths=[1] * 4, out_features=["stage1", "stage2", "stage3", "stage4"]
    )
    model = create_model("UperNetForSemanticSegmentation", "UperNetConfig", **options, backbone_config=backbone)
    return Subject(KeywordModel(model, ["pixel_values"], ["logits"]), (random_image(64),))


def _pose() -> Subject:
    backbone = transformers().VitPoseBackboneConfig(
        **SIZES, image_size=[64, 48], patch_size=[16, 16], out_features=["stage2"], out_indices=[2]
    )
    model = create_model("VitPoseForPoseEstimation", "VitPoseConfig", backbone_config=backbone, num_labels=5)
    return Subject(KeywordModel(model, ["pixel_values"], ["heatmaps"]), ((torch.randn(1, 3, 64, 48),),))


def _points() -> Subject:
    """Create a keypoint detector without its selection, whose size is data-dependent."""
    model = create_model("SuperPointForKeypointDetection", "SuperPointConfig")

    def call(module: Any, x: torch.Tensor) -> Any:
        features = module.encoder(x[:, :1])[0]
        return module.keypoint_decoder._get_pixel_scores(features), module.descriptor_decoder.conv_descriptor_b(
            module.descriptor_decoder.relu(module.descriptor_decoder.conv_descriptor_a(features))
        )

    return Subject(PartialModel(model, call), (random_image(64),))


def _frames(name: str, config: dict[str, Any], frames: int = 4) -> Subject:
    model = create_model(f"{name}Model", f"{name}Config", **{**IMAGE, "num_frames": frames, **config})
    return Subject(KeywordModel(model, ["pixel_values"]), ((torch.randn(1, frames, 3, 64, 64),),))


def _image_text_retrieval() -> Subject:
    sides = {"text_config": {**TEXT}, "vision_config": {**IMAGE}, "projection_dim": 32}
    model = create_model("BlipForImageTextRetrieval", "BlipConfig", **sides, image_text_hidden_size=32)
    return Subject(
        KeywordModel(model, ["input_ids", "pixel_values"], ["itm_score"]), ((random_tokens(), *random_image(64)),)
    )


def _visual_question_answering() -> Subject:
    model = create_model("ViltModel", "ViltConfig", **{**TEXT, **IMAGE, "max_position_embeddings": 32})
    return Subject(KeywordModel(model, ["input_ids", "pixel_values"]), ((random_tokens(), *random_image(64)),))


# Audio: spectrograms, waveforms and codecs.


def _spectrogram() -> Subject:
    model = create_model("ASTModel", "ASTConfig", **SIZES, max_length=64, num_mel_bins=32)
    return Subject(KeywordModel(model, ["input_values"]), ((torch.randn(1, 64, 32),),))


def _wave_from_spectrogram() -> Subject:
    options = {
        "model_in_dim": 20,
        "upsample_initial_channel": 32,
        "upsample_rates": [4, 2],
        "upsample_kernel_sizes": [8, 4],
    }
    model = create_model("SpeechT5HifiGan", "SpeechT5HifiGanConfig", **options)
    module = KeywordModel(model, ["spectrogram"])
    return Subject(
        module, ((torch.randn(1, 20, 20),), (torch.randn(1, 33, 20),)), {"inputs": ({1: Dim("frames", min=2, max=64)},)}
    )


def _wave_by_kernels() -> Subject:
    model = create_model("UnivNetModel", "UnivNetConfig", num_mel_bins=20)
    return Subject(
        KeywordModel(model, ["input_features", "noise_sequence"]), ((torch.randn(1, 12, 20), torch.randn(1, 12, 64)),)
    )


def _codec(call: Callable[..., Any], *inputs: torch.Tensor) -> Subject:
    sizes = {"encoder_hidden_size": 8, "decoder_hidden_size": 64, "downsampling_ratios": [2, 4], "n_codebooks": 3}
    return Subject(PartialModel(create_model("DacModel", "DacConfig", **sizes, codebook_size=32), call), (inputs,))


def _streaming_codec() -> Subject:
    sizes = {"hidden_size": 32, "num_filters": 8, "codebook_size": 32, "codebook_dim": 16, "upsampling_ratios": [4, 2]}
    sizes |= {
        "vector_quantization_hidden_dimension": 16,
        "num_quantizers": 3,
        "num_hidden_layers": 2,
        "upsample_groups": 32,
    }
    sizes |= {"intermediate_size": 64, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 8}
    model = create_model("MimiModel", "MimiConfig", **sizes)
    return Subject(
        PartialModel(model, lambda codec, x: codec.decoder(codec.encoder(x)[0])[0]), ((torch.randn(1, 1, 320),),)
    )


def _listener_of_waves() -> Subject:
    sizes = {"encoder_num_hidden_layers": 2, "decoder_num_hidden_layers": 2, "encoder_num_attention_heads": 4}
    model = create_model("MoonshineModel", "MoonshineConfig", **TEXT, **sizes, decoder_num_attention_heads=4)
    return Subject(
        KeywordModel(model, ["input_values", "decoder_input_ids"]), ((torch.randn(1, 4000), random_tokens(5)),)
    )


def _listener_by_transitions() -> Subject:
    encoder = transformers().ParakeetEncoderConfig(**SIZES, num_mel_bins=40, subsampling_conv_channels=16)
    model = create_model("ParakeetForCTC", "ParakeetCTCConfig", encoder_config=encoder, vocab_size=33, pad_token_id=32)
    return Subject(KeywordModel(model, ["input_features"]), ((torch.randn(1, 64, 40),),))


def _speech_features() -> Subject:
    options = {**SIZES, "feature_projection_input_dim": 160, "conv_depthwise_kernel_size": 7}
    return Subject(
        KeywordModel(create_model("Wav2Vec2BertModel", "Wav2Vec2BertConfig", **options), ["input_features"]),
        ((torch.randn(1, 30, 160),),),
    )


# Generation: one step with the cache of previous steps.


def _step(name: str, **options: Any) -> Subject:
    """Create an encoder-decoder with transformers' static cache.

    In eager PyTorch, the first call caches the encoder's result, so all calls use the same source.
    """
    model = create_model(f"{name}ForConditionalGeneration", f"{name}Config", **options)
    model.config.use_cache = True
    module = importlib.import_module("transformers.integrations.executorch")
    decoder = module.Seq2SeqLMDecoderExportableModuleWithStaticCache(model, max_static_cache_length=16, batch_size=1)
    read = torch.randn(1, 10, 64)
    return Subject(decoder, tuple((random_tokens(1), read, torch.tensor([position])) for position in range(3)))


_THREE_STAGES = ("stage2", "stage3", "stage4")
_PARTS: dict[str, Callable[[], Subject]] = {
    "PatchTSTForPrediction": partial(_patches, "PatchTST"),
    "PatchTSTForPrediction, varying batch": partial(_patches, "PatchTST", batch=True),
    "PatchTSMixerForPrediction": partial(_patches, "PatchTSMixer"),
    "AutoformerModel": partial(_forecaster, "Autoformer"),
    "InformerModel": partial(_forecaster, "Informer"),
    "TimeSeriesTransformerModel": partial(_forecaster, "TimeSeriesTransformer"),
    "DecisionTransformerModel": _decisions,
    "RTDetrForObjectDetection": partial(_real_time, "RTDetr"),
    "RTDetrV2ForObjectDetection": partial(_real_time, "RTDetrV2"),
    "DFineForObjectDetection": partial(_real_time, "DFine"),
    "ConditionalDetrForObjectDetection": partial(_stacked_boxes, "ConditionalDetr", "stage4"),
    "DeformableDetrForObjectDetection": partial(
        _stacked_boxes,
        "DeformableDetr",
        *_THREE_STAGES,
        num_feature_levels=4,
        disable_custom_kernels=True,
        decoder_layers=2,
    ),
    "TableTransformerForObjectDetection": partial(_stacked_boxes, "TableTransformer", "stage4"),
    "Mask2FormerModel": partial(_masks, "Mask2Former"),
    "MaskFormerModel": partial(_masks, "MaskFormer"),
    "UperNetForSemanticSegmentation": _pyramid,
    "VitPoseForPoseEstimation": _pose,
    "SuperPointForKeypointDetection, scores and descriptors": _points,
    "TimesformerModel": partial(_frames, "Timesformer", {}),
    "VideoMAEModel": partial(_frames, "VideoMAE", {"tubelet_size": 2}),
    "VivitModel": partial(_frames, "Vivit", {"tubelet_size": [2, 16, 16]}),
    "BlipForImageTextRetrieval": _image_text_retrieval,
    "ViltModel": _visual_question_answering,
    "ASTModel": _spectrogram,
    "SpeechT5HifiGan, varying length": _wave_from_spectrogram,
    "UnivNetModel": _wave_by_kernels,
    "DacModel, encoder": lambda: _codec(lambda codec, x: codec.encoder(x), torch.randn(1, 1, 256)),
    "DacModel, decoder": lambda: _codec(lambda codec, x: codec.decoder(x), torch.randn(1, 32, 16)),
    "DacModel, quantizer": lambda: _codec(lambda codec, x: codec.quantizer(x)[1], torch.randn(1, 32, 16)),
    "MimiModel, encoder and decoder": _streaming_codec,
    "MoonshineModel": _listener_of_waves,
    "ParakeetForCTC": _listener_by_transitions,
    "Wav2Vec2BertModel": _speech_features,
    "T5, decoding step": partial(_step, "T5", **T5),
    "Bart, decoding step": partial(_step, "Bart", **TWO_STACKS),
}


def architectures() -> Iterator[Architecture]:
    for name, make in _PARTS.items():
        yield Architecture("transformers", name, make)
