"""What a program says of itself: its calls, its memory, its manifest. Without torch, so that programs can be linked without."""
