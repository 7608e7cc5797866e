"""Parts of a model with prediction heads: the model without them, and a file of nothing else."""

from tests.helpers.gguf_kit import Model

SHARED = ("token_embd.", "output.", "output_norm.")


def without_heads(model: Model, *, declared: bool = False) -> Model:
    """The model alone; `declared`: the file says that it has heads all the same, as some converters write it."""
    model.tensors = [tensor for tensor in model.tensors if not _is_of_a_head(model, tensor.name)]
    if not declared:
        heads = model.facts.pop(f"{model.architecture}.nextn_predict_layers").value
        model.facts[f"{model.architecture}.block_count"].value -= heads
        pattern = model.facts.get(f"{model.architecture}.attention.sliding_window_pattern")
        if pattern is not None:
            del pattern.value[-heads:]
    return model


def only_heads(model: Model) -> Model:
    """A side file: the heads, and what they need of the model."""
    model.tensors = [t for t in model.tensors if t.name.startswith(SHARED) or _is_of_a_head(model, t.name)]
    return model


def _is_of_a_head(model: Model, name: str) -> bool:
    blocks = model.facts[f"{model.architecture}.block_count"].value
    heads = model.facts[f"{model.architecture}.nextn_predict_layers"].value
    return name.startswith(tuple(f"blk.{index}." for index in range(blocks - heads, blocks)))
