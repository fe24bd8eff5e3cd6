"""Trains a classifier of handwritten digits on a PJRT plugin, then on XLA's CPU, and compares the loss curves.

Everything goes through JAX's public interface; nothing here knows that the backend is written in Rust. The same
first weights and the same batches are used both times, so the curves differ by rounding alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

BATCH = 64
HIDDEN = 64
CLASSES = 10
REQUIRED_ACCURACY = 0.95
# The curves start near 2.3. Rounding differences grow with training, but never to anything visible.
LARGEST_CURVE_DIFFERENCE = 1e-3


@dataclass
class Curve:
    """One training run: the mean loss of every epoch and the accuracy on the test set at the end."""

    losses: list[float]
    accuracy: float
    seconds: float


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platform", default="rust_example", help="the plugin to train on (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=12, help="passes over the training set (default: %(default)s)")
    parser.add_argument("--picture", type=Path, default=Path("loss.png"), help="where the curves are drawn")
    return parser.parse_args()


def load_digits():
    """1797 pictures of 8 x 8 pixels, scaled to [0, 1]; the last fifth, shuffled, is the test set."""
    import numpy as np
    from sklearn.datasets import load_digits as bundled_digits

    digits = bundled_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images = (digits.data[order] / 16.0).astype(np.float32)
    labels = digits.target[order].astype(np.int32)
    split = len(labels) * 4 // 5
    return (images[:split], labels[:split]), (images[split:], labels[split:])


def first_weights() -> dict:
    """He initialisation, drawn on the host so that both runs begin alike."""
    import numpy as np

    random = np.random.default_rng(1)

    def layer(inputs: int, outputs: int):
        return (random.normal(size=(inputs, outputs)) * np.sqrt(2 / inputs)).astype(np.float32)

    return {
        "hidden": {"w": layer(64, HIDDEN), "b": np.zeros(HIDDEN, np.float32)},
        "output": {"w": layer(HIDDEN, CLASSES), "b": np.zeros(CLASSES, np.float32)},
    }


def train(device, epochs: int) -> Curve:
    """Adam on mini-batches, on one device."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    import optax

    (images, labels), (test_images, test_labels) = load_digits()
    optimizer = optax.adam(4e-3)

    def logits(weights, images):
        hidden = jax.nn.relu(images @ weights["hidden"]["w"] + weights["hidden"]["b"])
        return hidden @ weights["output"]["w"] + weights["output"]["b"]

    def loss(weights, images, labels):
        return optax.softmax_cross_entropy_with_integer_labels(logits(weights, images), labels).mean()

    def step(weights, state, images, labels):
        value, gradients = jax.value_and_grad(loss)(weights, images, labels)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(weights, updates), state, value

    # The old weights and optimiser state are donated: the backend may write the new ones into their memory.
    step = jax.jit(step, donate_argnums=(0, 1))

    @jax.jit
    def correct(weights, images, labels):
        return (jnp.argmax(logits(weights, images), axis=1) == labels).sum()

    weights = jax.device_put(first_weights(), device)
    state = jax.device_put(optimizer.init(weights), device)
    start = time.perf_counter()
    losses: list[float] = []
    accuracy = 0.0
    for epoch in range(epochs):
        order = np.random.default_rng(100 + epoch).permutation(len(labels))
        values = []
        for begin in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[begin:begin + BATCH]
            batch_images, batch_labels = jax.device_put((images[batch], labels[batch]), device)
            weights, state, value = step(weights, state, batch_images, batch_labels)
            values.append(value)
        losses.append(float(np.mean([np.asarray(value) for value in values])))
        accuracy = int(correct(weights, *jax.device_put((test_images, test_labels), device))) / len(test_labels)
        print(f"  epoch {epoch + 1:2d}/{epochs}   loss {losses[-1]:.4f}   test accuracy {accuracy:6.2%}   "
              f"{time.perf_counter() - start:6.1f} s", flush=True)
    return Curve(losses, accuracy, time.perf_counter() - start)


def draw(curves: dict[str, Curve], picture: Path) -> None:
    """Both curves above, their difference below."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7, 6), sharex=True, height_ratios=(3, 1))
    epochs = range(1, len(next(iter(curves.values())).losses) + 1)
    for (name, curve), style in zip(curves.items(), ("-", "--")):
        top.plot(epochs, curve.losses, style, linewidth=2,
                 label=f"{name}: test accuracy {curve.accuracy:.1%}, {curve.seconds:.1f} s")
    top.set_ylabel("mean training loss")
    top.set_title("Handwritten digits, the same training on two backends")
    top.legend()
    first, second = (np.array(curve.losses) for curve in curves.values())
    # Equal losses have no place on a logarithmic axis; they are drawn at its foot.
    foot = 1e-9
    bottom.plot(epochs, np.maximum(np.abs(first - second), foot), "o-", markersize=3, color="tab:red")
    bottom.set_yscale("log")
    bottom.set_ylim(foot / 2, 1e-2)
    bottom.set_ylabel("|difference|")
    bottom.set_xlabel("epoch")
    for axes in (top, bottom):
        axes.grid(alpha=0.3)
    figure.tight_layout()
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=120)


def main() -> int:
    arguments = parse_arguments()
    # The plugin first, so that it is the default backend; XLA's CPU beside it, for the comparison.
    os.environ["JAX_PLATFORMS"] = f"{arguments.platform},cpu"
    import jax

    plugin, reference = jax.devices(arguments.platform)[0], jax.devices("cpu")[0]
    if plugin.client is reference.client:
        print(f"error: {arguments.platform} is XLA's own CPU; there is nothing to compare", file=sys.stderr)
        return 1
    curves = {}
    for name, device in ((arguments.platform, plugin), ("XLA:CPU", reference)):
        # The version may be preceded by a line about the interface.
        version = device.client.platform_version.splitlines()[-1]
        print(f"training on {device} ({name}; {version})", flush=True)
        curves[name] = train(device, arguments.epochs)
    ours, theirs = curves.values()
    difference = max(abs(a - b) for a, b in zip(ours.losses, theirs.losses, strict=True))
    print(f"test accuracy {ours.accuracy:.2%} ({arguments.platform}), {theirs.accuracy:.2%} (XLA:CPU)")
    print(f"largest difference between the loss curves: {difference:.2e}")
    draw(curves, arguments.picture)
    print(f"both curves: {arguments.picture}")
    failed = False
    if ours.accuracy <= REQUIRED_ACCURACY:
        print(f"error: test accuracy must be above {REQUIRED_ACCURACY:.0%}", file=sys.stderr)
        failed = True
    # Written so that a NaN fails as well.
    if not difference <= LARGEST_CURVE_DIFFERENCE:
        print(f"error: the loss curves must not differ by more than {LARGEST_CURVE_DIFFERENCE}", file=sys.stderr)
        failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
