"""tf.keras.applications: known networks for images."""

from eagerflow.keras.applications import (
    densenet,
    efficientnet,
    efficientnet_v2,
    imagenet_utils,
    inception_v3,
    mobilenet,
    mobilenet_v2,
    mobilenet_v3,
    nasnet,
    resnet,
    resnet50,
    resnet_v2,
    vgg16,
    vgg19,
    xception,
)
from eagerflow.keras.applications.densenet import DenseNet121, DenseNet169, DenseNet201
from eagerflow.keras.applications.efficientnet import (
    EfficientNetB0,
    EfficientNetB1,
    EfficientNetB2,
    EfficientNetB3,
    EfficientNetB4,
    EfficientNetB5,
    EfficientNetB6,
    EfficientNetB7,
)
from eagerflow.keras.applications.efficientnet_v2 import (
    EfficientNetV2B0,
    EfficientNetV2B1,
    EfficientNetV2B2,
    EfficientNetV2B3,
    EfficientNetV2L,
    EfficientNetV2M,
    EfficientNetV2S,
)
from eagerflow.keras.applications.inception_v3 import InceptionV3
from eagerflow.keras.applications.mobilenet import MobileNet
from eagerflow.keras.applications.mobilenet_v2 import MobileNetV2
from eagerflow.keras.applications.mobilenet_v3 import MobileNetV3Large, MobileNetV3Small
from eagerflow.keras.applications.nasnet import NASNetLarge, NASNetMobile
from eagerflow.keras.applications.resnet import ResNet50, ResNet101, ResNet152
from eagerflow.keras.applications.resnet_v2 import ResNet50V2, ResNet101V2, ResNet152V2
from eagerflow.keras.applications.vgg16 import VGG16
from eagerflow.keras.applications.vgg19 import VGG19
from eagerflow.keras.applications.xception import Xception

__all__ = [
    "DenseNet121",
    "DenseNet169",
    "DenseNet201",
    "EfficientNetB0",
    "EfficientNetB1",
    "EfficientNetB2",
    "EfficientNetB3",
    "EfficientNetB4",
    "EfficientNetB5",
    "EfficientNetB6",
    "EfficientNetB7",
    "EfficientNetV2B0",
    "EfficientNetV2B1",
    "EfficientNetV2B2",
    "EfficientNetV2B3",
    "EfficientNetV2L",
    "EfficientNetV2M",
    "EfficientNetV2S",
    "InceptionV3",
    "MobileNet",
    "MobileNetV2",
    "MobileNetV3Large",
    "MobileNetV3Small",
    "NASNetLarge",
    "NASNetMobile",
    "ResNet101",
    "ResNet101V2",
    "ResNet152",
    "ResNet152V2",
    "ResNet50",
    "ResNet50V2",
    "VGG16",
    "VGG19",
    "Xception",
    "densenet",
    "efficientnet",
    "efficientnet_v2",
    "imagenet_utils",
    "inception_v3",
    "mobilenet",
    "mobilenet_v2",
    "mobilenet_v3",
    "nasnet",
    "resnet",
    "resnet50",
    "resnet_v2",
    "vgg16",
    "vgg19",
    "xception",
]
