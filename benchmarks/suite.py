"""All workloads, in the order of the results."""

import bulk
import cnn
import data
import files
import gpt
import jacobians
import keras_fit
import lstm
import matmul
import mlp
import mobilenet
import regression
import sessions
import small
import startup
import subnormals
import surface
import tiny
import variety

WORKLOADS = {
    workload.name: workload
    for family in (
        small,
        regression,
        sessions,
        cnn,
        mlp,
        mobilenet,
        gpt,
        tiny,
        jacobians,
        matmul,
        bulk,
        subnormals,
        data,
        keras_fit,
        surface,
        variety,
        lstm,
        files,
        startup,
    )
    for workload in family.WORKLOADS
}
