"""All workloads, in the order of the results."""

import bulk
import cnn
import contended
import data
import devices
import files
import fused
import gpt
import jacobians
import keras_fit
import lstm
import matmul
import mixture
import mlp
import mobilenet
import models
import regression
import saved_models
import sessions
import small
import small_served
import startup
import subnormals
import surface
import tiny
import traced
import transforms
import unseen
import variety

# Workloads by the name of the module that holds them.
FAMILIES = {
    family.__name__: family.WORKLOADS
    for family in (
        small,
        regression,
        sessions,
        saved_models,
        small_served,
        cnn,
        mlp,
        traced,
        fused,
        unseen,
        mobilenet,
        models,
        gpt,
        tiny,
        jacobians,
        transforms,
        mixture,
        matmul,
        bulk,
        subnormals,
        data,
        devices,
        keras_fit,
        surface,
        variety,
        lstm,
        files,
        startup,
        contended,
    )
}
WORKLOADS = {workload.name: workload for workloads in FAMILIES.values() for workload in workloads}


def named(name: str) -> list[str]:
    """The workloads of this name, or of the family of this name; none if there is neither."""
    if name in WORKLOADS:
        return [name]
    return [workload.name for workload in FAMILIES.get(name, ())]
