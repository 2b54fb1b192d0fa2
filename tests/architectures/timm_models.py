"""Architectures of timm."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import partial

from tests.architectures.architecture import Architecture, Subject, random_image

# The image size for architectures that accept any size; others use their own size.
_SMALL = 96

_ANY_SIZE = (
    "resnet26d efficientnet_lite0 efficientnet_b0_gn mobilenetv3_small_050 mobilenetv4_conv_small ghostnet_100 ghostnetv2_100"
    " ghostnetv3_050 repghostnet_050 fbnetc_100 hrnet_w18_small res2net50_26w_4s res2next50 dla34 dla60_res2net selecsls42"
    " tinynet_e lcnet_050 lcnetv2_small rexnet_100 semnasnet_075 hardcorenas_a mixnet_s dpn48b ese_vovnet19b_dw eca_vovnet39b"
    " cspresnet50 cs3darknet_s cspnext_tiny nfnet_l0 dm_nfnet_f0 resnetv2_50 resnetv2_50d_evos repvgg_a0 gernet_m mobileone_s0"
    " fastvit_t8 fastvit_mci0 edgenext_xx_small convnext_atto convnextv2_atto convmixer_768_32 inception_next_atto starnet_s1"
    " regnetz_b16 regnetv_040 seresnet50 ecaresnet26t gcresnet33ts skresnet18 skresnext50_32x4d resnest14d legacy_senet154"
    " xception41 legacy_xception inception_v4 inception_resnet_v2 nasnetalarge pnasnet5large tresnet_m hgnet_tiny hgnetv2_b0"
    " rdnet_tiny densenetblur121d mambaout_femto fasternet_t0 csatv2 efficientnet_cc_b0_4e efficientnet_blur_b0 efficientnetv2_rw_t"
    " fbnetv3_b nf_regnet_b0 nf_ecaresnet26 regnetz_005 resnetv2_50d_frn resnetv2_50x1_bit resnetrs50 resnet50_gn vovnet39a"
    " darknet17 cs3edgenet_x xception41p convnext_zepto_rms_ols convnext_tiny_hnf edgenext_small_rw tf_mobilenetv3_small_minimal_100"
    " efficientvit_l1 rexnetr_200 resnetblur18 tresnet_v2_l"
)
_OWN_SIZE = (
    "vit_tiny_patch16_224 deit_tiny_patch16_224 deit3_small_patch16_224 beit_base_patch16_224 beitv2_base_patch16_224"
    " cait_xxs24_224 coat_lite_tiny coat_tiny convit_tiny crossvit_9_240 davit_tiny eva02_tiny_patch14_224 gcvit_xxtiny"
    " levit_128s mixer_s32_224 gmixer_24_224 gmlp_ti16_224 resmlp_12_224 mvitv2_tiny pit_ti_224 poolformer_s12 pvt_v2_b0"
    " pvt_v2_b2_li sequencer2d_s tnt_s_patch16_224 tiny_vit_5m_224 twins_pcpvt_small twins_svt_small visformer_tiny volo_d1_224"
    " xcit_nano_12_p16_224 efficientformer_l1 efficientformerv2_s0 efficientvit_b0 efficientvit_m0 efficientvim_m1 repvit_m0_9"
    " mobilevit_xxs mobilevitv2_050 maxvit_rmlp_pico_rw_256 maxvit_tiny_tf_224 coatnet_nano_rw_224 coatnext_nano_rw_224"
    " swin_tiny_patch4_window7_224 swinv2_tiny_window8_256 swinv2_cr_tiny_ns_224 focalnet_tiny_srf focalnet_tiny_lrf"
    " hiera_tiny_224 nextvit_small vit_small_patch16_dinov3 vit_relpos_small_patch16_224 vit_small_r26_s32_224"
    " vitamin_small_224 caformer_s18 convformer_s18 nest_tiny_jx botnet26t_256 eca_halonext26ts lambda_resnet26t"
    " bat_resnext26ts swiftformer_xs shvit_s1 iformer_t lowformer_b0 cpubone_t0 naflexvit_base_patch16_gap"
    " samvit_base_patch16_224 sam2_hiera_tiny mobilenetv5_base test_vit qwen3_vit_88m gemma4_vit_167m beit3_base_patch16_224"
    " flexivit_small vit_base_patch16_rope_mixed_224 vit_srelpos_small_patch16_224 halonet26t lamhalobotnet50ts_256 sehalonet33ts"
    " poolformerv2_s12 mobilenetv4_hybrid_medium_075 crossvit_9_dagger_240 deit_tiny_distilled_patch16_224 levit_conv_128s"
    " swin_s3_tiny_224 tnt_s_legacy_patch16_224 vit_tiny_r_s16_p8_224 resnet50_clip haloregnetz_b naflexvit_base_patch16_siglip"
)


def _model(name: str, size: int | None) -> Subject:
    module = importlib.import_module("timm").create_model(name, pretrained=False)
    return Subject(module, (random_image(size or module.default_cfg["input_size"][-1]),))


def architectures() -> Iterator[Architecture]:
    for names, size in ((_ANY_SIZE, _SMALL), (_OWN_SIZE, None)):
        for name in names.split():
            yield Architecture("timm", name, partial(_model, name, size))
