"""What is faster: the one place with the numbers that choices between steps go by.

Measured in user cycles on AVX2 (Zen 3), one thread, packed weights; the choices hold for NEON and AVX-512
too, as they follow from how often bytes are touched.
"""

# Planes: with so few channels a row of panels is cut from planes for less than the planes are
# brought channels last first (224 x 224 x 3: 27 products a pixel of the output either way).
MOST_PLANES = 4


def reads_planes(channels: int) -> bool:
    """Whether a convolution is to read `channels` planes as they lie."""
    return channels <= MOST_PLANES
