"""Small models and helpers that the compiler's tests share."""
