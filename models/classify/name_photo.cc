// Prints the most probable class of a photo, through the generated C++ class.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "models/classify/classify_cc.hpp"
#include "models/classify/labels.h"
#include "models/classify/photo.h"

namespace {

int fail(const executorch::Error &error) {
  std::fprintf(stderr, "%s: %s\n", error.name(), error.message());
  return 1;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: name_photo PHOTO\n");
    return 2;
  }
  std::vector<float> pixels(PHOTO_ELEMENTS);
  if (!photo_read(argv[1], PHOTO_SHARE, pixels.data())) {
    return 1;
  }
  auto classifier = models::classify::Classify::create();
  if (!classifier) {
    return fail(classifier.error());
  }
  auto scores = classifier->forward({pixels});
  if (!scores) {
    return fail(scores.error());
  }
  const auto best = std::max_element(scores->begin(), scores->end()) - scores->begin();
  std::printf("%s\n", classify_labels[best]);
  return 0;
}
