// Prints the most probable class of a photo.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "app/mobilenet_cc.hpp"
#include "models/classify/labels.h"
#include "models/classify/photo.h"

namespace {

// The input of torchvision's ImageNet classifiers: a center crop of 224 of 256 pixels.
constexpr photo_format kFormat = {
    224, {0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}};

int fail(const executorch::Error &error) {
  std::fprintf(stderr, "%s: %s\n", error.name(), error.message());
  return 1;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: app PHOTO\n");
    return 2;
  }
  std::vector<float> pixels(PHOTO_ELEMENTS);
  if (!photo_read_as(argv[1], &kFormat, PHOTO_SHARE, pixels.data())) {
    return 1;
  }
  auto net = acme::vision::MobileNet::create();
  if (!net) {
    return fail(net.error());
  }
  const auto scores = net->forward({pixels});
  if (!scores) {
    return fail(scores.error());
  }
  const auto *best = std::max_element(scores->begin(), scores->end());
  std::printf("%s\n", classify_labels[best - scores->begin()]);
  return 0;
}
