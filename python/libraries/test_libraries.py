"""Libraries that people use with JAX, unmodified, on the plugin: one short real run each, judged by what is known of the
answer.

`cargo xtask test libraries` makes the environment. PJRT_TEST_PLATFORM names the plugin.
"""

from __future__ import annotations

import os

PLATFORM = os.environ.get("PJRT_TEST_PLATFORM", "rust_cpu")
os.environ["JAX_PLATFORMS"] = PLATFORM

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402


@pytest.fixture(autouse=True)
def on_the_plugin():
    assert "backend-" in jax.devices()[0].client.platform_version


def spiral(count: int = 200):
    """Two arms, one of each class."""
    random = np.random.default_rng(0)
    turn = np.sqrt(random.uniform(0.05, 1, count)) * 3
    label = random.integers(0, 2, count)
    angle = turn + np.pi * label
    return (np.stack([turn * np.cos(angle), turn * np.sin(angle)], 1) / 3).astype(np.float32), label.astype(np.int32)


def test_flax_and_optax_train_a_network():
    import optax
    from flax import nnx

    class Network(nnx.Module):
        def __init__(self, rngs):
            self.hidden = nnx.Linear(2, 64, rngs=rngs)
            self.norm = nnx.LayerNorm(64, rngs=rngs)
            self.out = nnx.Linear(64, 2, rngs=rngs)

        def __call__(self, x):
            return self.out(nnx.gelu(self.norm(self.hidden(x))))

    x, y = spiral()
    network = Network(nnx.Rngs(0))
    optimizer = nnx.Optimizer(network, optax.adamw(1e-2), wrt=nnx.Param)

    @nnx.jit
    def step(network, optimizer):
        def loss(network):
            return optax.softmax_cross_entropy_with_integer_labels(network(x), y).mean()

        value, gradients = nnx.value_and_grad(loss)(network)
        optimizer.update(network, gradients)
        return value

    losses = [float(step(network, optimizer)) for _ in range(150)]
    assert losses[-1] < 0.15 < losses[0]
    assert float((jnp.argmax(network(x), 1) == y).mean()) > 0.95


def test_flax_linen_convolutions_and_batch_norm():
    import flax.linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x, train: bool):
            x = nn.Conv(8, (3, 3))(x)
            x = nn.BatchNorm(use_running_average=not train)(x)
            x = nn.max_pool(nn.relu(x), (2, 2), strides=(2, 2))
            return nn.Dense(3)(x.mean((1, 2)))

    x = jnp.asarray(np.random.default_rng(0).normal(size=(4, 8, 8, 3)).astype(np.float32))
    network = Network()
    variables = network.init(jax.random.key(0), x, train=True)

    @jax.jit
    def gradient(params, stats):
        def loss(params):
            out, changed = network.apply({"params": params, "batch_stats": stats}, x, train=True, mutable=["batch_stats"])
            return (out ** 2).mean(), changed["batch_stats"]

        return jax.value_and_grad(loss, has_aux=True)(params)

    (first, stats), gradients = gradient(variables["params"], variables["batch_stats"])
    smaller = jax.tree.map(lambda p, g: p - 0.05 * g, variables["params"], gradients)
    (second, _), _ = gradient(smaller, stats)
    assert float(second) < float(first)


def test_optax_finds_a_minimum():
    import optax

    def rosenbrock(x):
        return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    solver = optax.lbfgs()
    value_and_grad = optax.value_and_grad_from_state(rosenbrock)

    @jax.jit
    def step(x, state):
        value, gradient = value_and_grad(x, state=state)
        updates, state = solver.update(gradient, state, x, value=value, grad=gradient, value_fn=rosenbrock)
        return optax.apply_updates(x, updates), state

    x = jnp.full(4, -0.5)
    state = solver.init(x)
    for _ in range(60):
        x, state = step(x, state)
    np.testing.assert_allclose(x, np.ones(4), atol=1e-2)


def test_equinox_trains_a_network():
    import equinox as eqx
    import optax

    x, y = spiral()
    network = eqx.nn.MLP(2, 2, 64, 2, key=jax.random.key(0))
    optimizer = optax.adam(5e-3)
    state = optimizer.init(eqx.filter(network, eqx.is_array))

    @eqx.filter_jit
    def step(network, state):
        def loss(network):
            return optax.softmax_cross_entropy_with_integer_labels(jax.vmap(network)(x), y).mean()

        value, gradients = eqx.filter_value_and_grad(loss)(network)
        updates, state = optimizer.update(gradients, state)
        return eqx.apply_updates(network, updates), state, value

    for _ in range(200):
        network, state, value = step(network, state)
    assert float(value) < 0.1


def test_numpyro_infers_a_slope():
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import MCMC, NUTS

    random = np.random.default_rng(0)
    x = random.normal(size=100).astype(np.float32)
    y = (1.5 * x - 0.5 + 0.3 * random.normal(size=100)).astype(np.float32)

    def model(x, y):
        slope = numpyro.sample("slope", dist.Normal(0, 5))
        offset = numpyro.sample("offset", dist.Normal(0, 5))
        noise = numpyro.sample("noise", dist.HalfNormal(1))
        numpyro.sample("y", dist.Normal(slope * x + offset, noise), obs=y)

    sampler = MCMC(NUTS(model), num_warmup=200, num_samples=200, progress_bar=False)
    sampler.run(jax.random.key(0), x, y)
    samples = sampler.get_samples()
    slope, offset = np.polyfit(x, y, 1)
    assert abs(float(samples["slope"].mean()) - slope) < 0.05
    assert abs(float(samples["offset"].mean()) - offset) < 0.05
    assert 0.2 < float(samples["noise"].mean()) < 0.4


def test_blackjax_samples_a_normal_distribution():
    import blackjax

    mean, deviation = jnp.array([1.0, -2.0]), jnp.array([0.5, 2.0])

    def log_density(x):
        return -0.5 * jnp.sum(((x - mean) / deviation) ** 2)

    sampler = blackjax.nuts(log_density, step_size=0.5, inverse_mass_matrix=deviation ** 2)

    @jax.jit
    def run(key):
        def step(state, key):
            state, _ = sampler.step(key, state)
            return state, state.position

        return jax.lax.scan(step, sampler.init(jnp.zeros(2)), jax.random.split(key, 1500))[1]

    positions = np.asarray(run(jax.random.key(1)))[100:]
    np.testing.assert_allclose(positions.mean(0), mean, atol=0.25)
    np.testing.assert_allclose(positions.std(0), deviation, rtol=0.2)


def test_diffrax_solves_and_differentiates_an_equation():
    import diffrax

    def solve(rate):
        term = diffrax.ODETerm(lambda t, y, args: -args * y)
        times = diffrax.SaveAt(ts=jnp.linspace(0, 2, 5))
        return diffrax.diffeqsolve(term, diffrax.Tsit5(), 0.0, 2.0, 0.1, jnp.array(1.0), args=rate, saveat=times,
                                   stepsize_controller=diffrax.PIDController(rtol=1e-6, atol=1e-6)).ys

    np.testing.assert_allclose(jax.jit(solve)(1.3), np.exp(-1.3 * np.linspace(0, 2, 5)), rtol=1e-4)
    slope = jax.jit(jax.grad(lambda rate: solve(rate)[-1]))(1.3)
    np.testing.assert_allclose(slope, -2 * np.exp(-2.6), rtol=1e-3)
