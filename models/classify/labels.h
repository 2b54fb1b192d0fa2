/* Names of ImageNet's classes. */
#ifndef ET_MODELS_CLASSIFY_LABELS_H_
#define ET_MODELS_CLASSIFY_LABELS_H_

#define CLASSIFY_CLASSES 1000

extern const char *const classify_labels[CLASSIFY_CLASSES];

#endif /* ET_MODELS_CLASSIFY_LABELS_H_ */
