"""A model with exact weights, which do not depend on the host."""

import torch


class Net(torch.nn.Module):
    """A convolution, a linear layer, an LSTM of two layers, and a softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.linear = torch.nn.Linear(8, 10)
        self.lstm = torch.nn.LSTM(10, 6, num_layers=2, batch_first=True)
        with torch.no_grad():
            for parameter in self.parameters():
                steps = torch.arange(parameter.numel()) % 17 - 8
                parameter.copy_(steps.reshape(parameter.shape) / 64)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        features = torch.relu(self.conv(image)).mean((2, 3))
        states, _ = self.lstm(self.linear(features).unsqueeze(1))
        return torch.softmax(states, -1)


def model() -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    return Net().eval(), (torch.ones(1, 3, 16, 16),)
