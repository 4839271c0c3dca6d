"""Reads handwritten digits over HTTP.

pip install eagerflow fastapi uvicorn
python train.py
uvicorn serve:app
"""

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

import eagerflow as tf

model = tf.saved_model.load("digits")
model.serve(tf.zeros([1, 8, 8, 1]))  # prepares the call, so that the first request is not slower


class Request(BaseModel):
    images: list[list[list[float]]]  # [n, 8, 8], from 0 to 1


class Answer(BaseModel):
    digits: list[int]


app = FastAPI()


@app.post("/digits")
def digits(request: Request) -> Answer:
    """The digit on each image. FastAPI runs it on a thread of its own, and kernels run beside others."""
    try:
        images = tf.reshape(tf.constant(request.images, tf.float32), [-1, 8, 8, 1])
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        raise HTTPException(422, str(error)) from None
    return Answer(digits=tf.argmax(model.serve(images), axis=1).numpy().tolist())


@app.get("/health")
def health() -> dict[str, str]:
    """For what watches the server."""
    return {"eagerflow": tf.__version__}
