"""Tests that `masked_scatter` lowers to one op and agrees with PyTorch."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, specs
from backends.cpu.schema.indexing import MaskedScatter


def _scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    return (x + 1).masked_scatter(mask > 0, source * 2) * 3


@pytest.mark.parametrize(
    "x, mask, source",
    [
        ((3, 4), (3, 4), (12,)),
        ((3, 4), (3, 1), (5, 3)),
        ((3, 4), (4,), (20,)),
        ((4,), (3, 4), (3, 4)),
        ((2, 3, 4), (3, 1), (2, 12)),
        ((), (), ()),
        ((0, 4), (0, 1), (1,)),
        ((3, 1), (1, 5), (15,)),
    ],
)
def test_masks_of_any_shape(x: tuple[int, ...], mask: tuple[int, ...], source: tuple[int, ...]) -> None:
    inputs = torch.randn(x), torch.randn(mask), torch.randn(source)
    assert MaskedScatter in map(type, specs(_scatter, *inputs))
    assert_computes(_scatter, *inputs)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.bool, torch.uint8, torch.int16, torch.float16])
def test_elements_of_any_dtype(dtype: torch.dtype) -> None:
    x, source = (torch.randint(0, 2, (3, 4)).to(dtype) for _ in range(2))
    assert_computes(lambda x, mask, source: x.masked_scatter(mask, source), x, torch.randn(3, 4) > 0, source)


def test_image_features_replace_image_tokens() -> None:
    class Joined(nn.Module):
        """Merges image features into token embeddings, as vision-language models do.

        The mask selects image tokens.
        """

        def __init__(self) -> None:
            super().__init__()
            self.words, self.project = nn.Embedding(10, 8), nn.Linear(6, 8)

        def forward(self, tokens: Tensor, images: Tensor) -> Tensor:
            rows = self.words(tokens)
            mask = (tokens == 9).unsqueeze(-1).expand_as(rows)
            return nn.functional.layer_norm(rows.masked_scatter(mask, self.project(images)), (8,))

    length = Dim("length", min=3, max=20)
    calls = [(torch.randint(0, 9, (1, n)), torch.randn(1, 3, 6)) for n in (7, 3, 20)]
    for tokens, _ in calls:
        tokens[0, :3] = 9
    assert_computes(Joined().eval(), *calls[0], dynamic_shapes=({1: length}, None), others=calls[1:])
