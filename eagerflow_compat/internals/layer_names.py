"""tensorflow.python.layers: second names of version 1's layers, which are not public."""

from eagerflow_compat.v1.layers import (
    AveragePooling2D,
    Conv1D,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    Dense,
    MaxPooling2D,
    SeparableConv2D,
    average_pooling2d,
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    dense,
    max_pooling2d,
    separable_conv2d,
)

AvgPool2D = AveragePooling2D
Convolution1D = Conv1D
Convolution2D = Conv2D
Convolution2DTranspose = Deconvolution2D = Deconv2D = Conv2DTranspose
Convolution3D = Conv3D
Convolution3DTranspose = Deconvolution3D = Deconv3D = Conv3DTranspose
FullyConnected = Dense
MaxPool2D = MaxPooling2D
SeparableConvolution2D = SeparableConv2D
avg_pool2d = average_pooling2d
convolution1d = conv1d
convolution2d = conv2d
convolution2d_transpose = deconvolution2d = deconv2d = conv2d_transpose
convolution3d = conv3d
convolution3d_transpose = deconvolution3d = deconv3d = conv3d_transpose
fully_connected = dense
max_pool2d = max_pooling2d
separable_convolution2d = separable_conv2d
