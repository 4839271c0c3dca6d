"""Programs that documentation of frameworks teaches, as it teaches them: nobody tuned for these."""

from unseen import (
    dcgan,
    gaussian,
    graph,
    hmc,
    language,
    ode,
    ppo,
    realnvp,
    resnet20,
    seq2seq,
    style,
    towers,
    unet,
    vae,
    vit,
    wgan,
)

PROGRAMS = [
    module.PROGRAM
    for module in (
        vae,
        unet,
        dcgan,
        wgan,
        seq2seq,
        realnvp,
        ode,
        gaussian,
        hmc,
        towers,
        vit,
        resnet20,
        language,
        ppo,
        graph,
        style,
    )
]
WORKLOADS = [workload for program in PROGRAMS for workload in program.workloads()]
