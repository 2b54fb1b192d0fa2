"""Networks that generate images, segment them, or detect objects in them."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.architectures.architecture import Subject, random_image


def _block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1), nn.BatchNorm2d(outputs), nn.ReLU())


class UNet(nn.Module):
    """U-Net segmentation: skip connections, and upsampling by transposed convolution."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.third = _block(3, 8), _block(8, 16), _block(16, 32)
        self.rise, self.rise_again = nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)
        self.join, self.join_again, self.classes = _block(32, 16), _block(16, 8), nn.Conv2d(8, 5, 1)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x)
        second = self.second(functional.max_pool2d(first, 2))
        third = self.third(functional.max_pool2d(second, 2))
        x = self.join(torch.cat((self.rise(third), second), 1))
        return self.classes(self.join_again(torch.cat((self.rise_again(x), first), 1)))


def _sinusoids(steps: Tensor, width: int) -> Tensor:
    angles = steps[:, None].float() * torch.exp(torch.arange(width // 2) * (-math.log(10000.0) / (width // 2)))
    return torch.cat((angles.sin(), angles.cos()), -1)


class _DiffusionBlock(nn.Module):
    def __init__(self, width: int, time: int) -> None:
        super().__init__()
        self.norm, self.convolution = nn.GroupNorm(4, width), nn.Conv2d(width, width, 3, padding=1)
        self.time = nn.Linear(time, 2 * width)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        scale, shift = self.time(functional.silu(time))[:, :, None, None].chunk(2, 1)
        return x + self.convolution(functional.silu(self.norm(x) * (1 + scale) + shift))


class DiffusionUNet(nn.Module):
    """A diffusion U-Net with a time step, and attention to text at the lowest scale."""

    def __init__(self) -> None:
        super().__init__()
        self.time = nn.Sequential(nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 32))
        self.begin, self.end = nn.Conv2d(4, 16, 3, padding=1), nn.Conv2d(32, 4, 3, padding=1)
        self.down, self.up = nn.Conv2d(16, 16, 3, 2, 1), nn.Conv2d(16, 16, 3, padding=1)
        self.blocks = nn.ModuleList(_DiffusionBlock(16, 32) for _ in range(3))
        self.attention = nn.MultiheadAttention(16, 2, kdim=24, vdim=24, batch_first=True)

    def forward(self, x: Tensor, step: Tensor, text: Tensor) -> Tensor:
        time = self.time(_sinusoids(step, 32))
        large = self.blocks[0](self.begin(x), time)
        small = self.blocks[1](self.down(large), time)
        rows = small.flatten(2).transpose(1, 2)
        rows = rows + self.attention(rows, text, text)[0]
        small = self.blocks[2](rows.transpose(1, 2).reshape(small.shape), time)
        risen = self.up(functional.interpolate(small, scale_factor=2.0, mode="nearest"))
        return self.end(torch.cat((risen, large), 1))


class Vae(nn.Module):
    """A variational autoencoder with the noise as an input."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, 16, 4, 2, 1), nn.SiLU(), nn.GroupNorm(4, 16), nn.Conv2d(16, 8, 4, 2, 1)
        )
        self.decoder = nn.Sequential(
            nn.Conv2d(4, 64, 3, padding=1), nn.PixelShuffle(2), nn.ELU(), nn.ConvTranspose2d(16, 3, 4, 2, 1), nn.Tanh()
        )

    def forward(self, x: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        mean, log_variance = self.encoder(x).chunk(2, 1)
        z = mean + noise * torch.exp(0.5 * log_variance.clamp(-30, 20))
        return self.decoder(z), z


class VqVae(nn.Module):
    """VQ-VAE: selects the nearest entry of a codebook."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.codes = nn.Conv2d(3, 8, 4, 4), nn.Embedding(32, 8)
        self.decoder = nn.ConvTranspose2d(8, 3, 4, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        rows = self.encoder(x).permute(0, 2, 3, 1)
        chosen = torch.cdist(rows.flatten(0, 2), self.codes.weight).argmin(-1).view(rows.shape[:3])
        return self.decoder(self.codes(chosen).permute(0, 3, 1, 2)), chosen


class DeformableConvolution(nn.Module):
    """A deformable 3 × 3 convolution; another convolution computes its offsets."""

    def __init__(self) -> None:
        super().__init__()
        self.offsets, self.weight = nn.Conv2d(4, 18, 3, padding=1), nn.Parameter(torch.randn(6, 36) * 0.1)

    def forward(self, x: Tensor) -> Tensor:
        batch, channels, height, width = x.shape
        offsets = self.offsets(x).view(batch, 9, 2, height, width)
        taps = torch.stack(torch.meshgrid(torch.arange(-1, 2), torch.arange(-1, 2), indexing="ij"), -1).view(9, 2)
        pixels = torch.stack(torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij"))
        places = pixels[None, None] + taps[None, :, :, None, None] + offsets
        scale = torch.tensor([2.0 / (height - 1), 2.0 / (width - 1)])[:, None, None]
        grid = (places * scale - 1).flip(2).permute(0, 1, 3, 4, 2).reshape(batch, 9 * height, width, 2)
        columns = functional.grid_sample(x, grid, align_corners=True).view(batch, channels * 9, height * width)
        return (self.weight @ columns).view(batch, 6, height, width)


class Yolo(nn.Module):
    """YOLO: decodes the boxes of grid cells, and selects the best ones."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 6, 2, 2), nn.SiLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.SiLU())
        self.pools, self.head = nn.ModuleList(nn.MaxPool2d(5, 1, 2) for _ in range(3)), nn.Conv2d(128, 3 * 9, 1)
        self.register_buffer("anchors", torch.tensor([[10.0, 13.0], [16.0, 30.0], [33.0, 23.0]]))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        pooled = [self.body(x)]
        for pool in self.pools:
            pooled.append(pool(pooled[-1]))
        cells = self.head(torch.cat(pooled, 1)).sigmoid().unflatten(1, (3, 9)).permute(0, 1, 3, 4, 2)
        rows, columns = torch.meshgrid(torch.arange(cells.shape[2]), torch.arange(cells.shape[3]), indexing="ij")
        centers = (cells[..., :2] * 2 - 0.5 + torch.stack((columns, rows), -1)) * 4
        sizes = (cells[..., 2:4] * 2) ** 2 * self.anchors[:, None, None]
        boxes = torch.cat((centers, sizes), -1).flatten(1, 3)
        best = (cells[..., 4:5] * cells[..., 5:]).flatten(1, 3).amax(-1).topk(10)
        return boxes.gather(1, best.indices[..., None].expand(-1, -1, 4)), best.values


class HeatMaps(nn.Module):
    """Pose estimation: the maximum of each heat map, and its mean position."""

    def __init__(self) -> None:
        super().__init__()
        self.maps = nn.Sequential(_block(3, 16, 2), nn.ConvTranspose2d(16, 7, 4, 2, 1))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        maps = self.maps(x)
        flat = maps.flatten(2)
        largest, at = flat.max(-1)
        chances = flat.softmax(-1).view(maps.shape)
        rows = (chances.sum(3) * torch.arange(maps.shape[2])).sum(-1)
        columns = (chances.sum(2) * torch.arange(maps.shape[3])).sum(-1)
        return torch.stack((at % maps.shape[3], at // maps.shape[3]), -1), largest, torch.stack((columns, rows), -1)


class SuperResolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 5, padding=2), nn.PReLU(16), nn.Conv2d(16, 27, 3, padding=1))

    def forward(self, x: Tensor) -> Tensor:
        risen = functional.interpolate(x, scale_factor=3, mode="bicubic", align_corners=False)
        return (functional.pixel_shuffle(self.body(x), 3) + risen).clamp(0, 1)


class StyleTransfer(nn.Module):
    """AdaIN style transfer: normalizes an image with another image's statistics."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(3, 12, 3), nn.InstanceNorm2d(12), nn.LeakyReLU(0.2)
        )
        self.decoder = nn.Sequential(nn.Upsample(scale_factor=2), nn.ReflectionPad2d(1), nn.Conv2d(12, 3, 3))

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        content, other = self.encoder(x), self.encoder(style)
        deviation, mean = torch.std_mean(other, (2, 3), keepdim=True)
        own_deviation, own_mean = torch.std_mean(content, (2, 3), keepdim=True)
        return self.decoder((content - own_mean) / (own_deviation + 1e-5) * deviation + mean)


class StyleBlock(nn.Module):
    """StyleGAN's modulated convolution: the weights depend on the input.

    Images of a batch become groups.
    """

    def __init__(self) -> None:
        super().__init__()
        self.style, self.weight = nn.Linear(16, 8), nn.Parameter(torch.randn(12, 8, 3, 3))

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        weight = self.weight[None] * self.style(style)[:, None, :, None, None]
        weight = weight * torch.rsqrt(weight.square().sum((2, 3, 4), keepdim=True) + 1e-8)
        batch = x.shape[0]
        x = functional.conv2d(x.flatten(0, 1)[None], weight.flatten(0, 1), padding=1, groups=batch)
        return x.view(batch, 12, *x.shape[2:])


class SpatialTransformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.turn = nn.Sequential(nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(48, 6))

    def forward(self, x: Tensor) -> Tensor:
        grid = functional.affine_grid(self.turn(x).view(-1, 2, 3), list(x.shape), align_corners=False)
        return functional.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=False)


class OpticalFlow(nn.Module):
    """Optical flow: a correlation volume of two images, and a warp of the second one."""

    def __init__(self) -> None:
        super().__init__()
        self.features, self.flow = _block(3, 8, 2), nn.Conv2d(25, 2, 3, padding=1)

    def forward(self, one: Tensor, other: Tensor) -> Tensor:
        first, second = self.features(one), self.features(other)
        around = functional.unfold(second, 5, padding=2).view(second.shape[0], 8, 25, *second.shape[2:])
        flow = self.flow((first[:, :, None] * around).mean(1))
        height, width = flow.shape[2:]
        rows, columns = torch.meshgrid(torch.linspace(-1, 1, height), torch.linspace(-1, 1, width), indexing="ij")
        return functional.grid_sample(
            second, torch.stack((columns, rows), -1) + flow.permute(0, 2, 3, 1), align_corners=True
        )


class NerfRays(nn.Module):
    """NeRF: sinusoidal positions, and densities accumulated along each ray."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(39, 32), nn.ReLU(), nn.Linear(32, 4))

    def forward(self, origins: Tensor, directions: Tensor) -> Tensor:
        depths = torch.linspace(2.0, 6.0, 16)
        points = origins[:, None] + directions[:, None] * depths[:, None]
        angles = points[..., None] * 2.0 ** torch.arange(6)
        encoded = torch.cat((points, angles.sin().flatten(-2), angles.cos().flatten(-2)), -1)
        colors, density = self.body(encoded).split((3, 1), -1)
        opacity = 1 - torch.exp(-functional.softplus(density[..., 0]) * 0.25)
        clear = torch.cumprod(torch.cat((torch.ones_like(opacity[:, :1]), 1 - opacity + 1e-10), -1), -1)[:, :-1]
        return ((opacity * clear)[..., None] * colors.sigmoid()).sum(1)


class Volumes(nn.Module):
    """A 3D U-Net that segments volumes."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv3d(1, 8, 3, 2, 1), nn.InstanceNorm3d(8, affine=True), nn.LeakyReLU())
        self.up, self.classes = nn.ConvTranspose3d(8, 4, 2, 2), nn.Conv3d(5, 3, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.classes(torch.cat((self.up(self.down(x)), x), 1)).softmax(1)


SUBJECTS = {
    "UNet": lambda: Subject(UNet(), (random_image(32),)),
    "DiffusionUNet": lambda: Subject(
        DiffusionUNet(), ((torch.randn(2, 4, 16, 16), torch.tensor([3, 900]), torch.randn(2, 5, 24)),)
    ),
    "Vae": lambda: Subject(Vae(), ((*random_image(32), torch.randn(1, 4, 8, 8)),)),
    "VqVae": lambda: Subject(VqVae(), (random_image(32),)),
    "DeformableConvolution": lambda: Subject(DeformableConvolution(), (random_image(12, 4),)),
    "Yolo": lambda: Subject(Yolo(), (random_image(64),)),
    "HeatMaps": lambda: Subject(HeatMaps(), (random_image(32),)),
    "SuperResolution": lambda: Subject(SuperResolution(), (random_image(16),)),
    "StyleTransfer": lambda: Subject(StyleTransfer(), ((*random_image(16), *random_image(16)),)),
    "StyleBlock": lambda: Subject(StyleBlock(), ((torch.randn(3, 8, 10, 10), torch.randn(3, 16)),)),
    "SpatialTransformer": lambda: Subject(SpatialTransformer(), (random_image(20),)),
    "OpticalFlow": lambda: Subject(OpticalFlow(), ((*random_image(24), *random_image(24)),)),
    "NerfRays": lambda: Subject(NerfRays(), ((torch.randn(6, 3), torch.randn(6, 3)),)),
    "Volumes": lambda: Subject(Volumes(), ((torch.randn(1, 1, 8, 16, 16),),)),
}
