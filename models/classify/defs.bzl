"""image_calibration: calibration inputs from photographs."""

def _channels(where, argument, values):
    if type(values) != "list" or len(values) != 3:
        fail("%s: '%s' must be a list of three numbers, one for each channel, got %r" % (where, argument, values))
    return ",".join([str(value) for value in values])

def image_calibration(name, images, input, side = 224, mean = [0.5, 0.5, 0.5], deviation = [0.5, 0.5, 0.5], **kwargs):
    """Converts images to `<name>.safetensors`, for the attribute `calibration`.

    Images are read and scaled as in //models/classify:photo. Each image becomes three inputs: its
    center at three scales.

    Args:
      name: name of the target.
      images: labels of JPEG, PNG or binary PPM files.
      input: name of the model's input, float32 [1, 3, side, side].
      side: side length in pixels.
      mean: mean of the red, green and blue channels, for values from 0 to 1.
      deviation: standard deviation of the channels.
      **kwargs: attributes that every rule has.
    """
    where = "image_calibration(name = '%s')" % name
    if not images:
        fail("%s: 'images' is empty; list at least one image" % where)
    words = [input, str(side), _channels(where, "mean", mean), _channels(where, "deviation", deviation)]
    photos = Label("//models/classify:photos")
    native.genrule(
        name = name,
        srcs = images,
        outs = [name + ".safetensors"],
        cmd = "$(location %s) %s $(SRCS) $@" % (photos, " ".join(words)),
        tools = [photos],
        **kwargs
    )
