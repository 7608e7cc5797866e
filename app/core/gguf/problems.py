"""Why a GGUF file cannot answer a chat, in a sentence."""

from app.core.errors import UserError
from app.core.gguf import tables
from app.core.gguf.facts import GgufFacts

DRAFTER_ONLY = "drafter_only"
_CHOOSE = "Choose a chat model."


def chat_model_problem(facts: GgufFacts) -> UserError | None:
    """Why `facts` cannot be a chat model (nor a draft model), or None if nothing speaks against it.

    Codes: vocabulary_only, adapter, vision_projector, importance_matrix, embedding_model, encoder_decoder,
    diffusion_model, speech_model, drafter_only, no_architecture, no_vocabulary, blocks_missing.
    """
    name = facts.path.name
    kind = facts.kind.lower()
    if kind == "adapter":
        return UserError("adapter", f'"{name}" is an adapter (LoRA), an addition to a model, not a model.', _CHOOSE)
    if kind == "mmproj" or facts.architecture in tables.VISION:
        sentence = f'"{name}" is the vision part (projector) of a model; it reads pictures and cannot chat by itself.'
        return UserError("vision_projector", sentence, "Choose the model it belongs to.")
    if kind == "imatrix":
        return UserError("importance_matrix", f'"{name}" holds notes for quantising a model, not a model.', _CHOOSE)
    if is_drafter(facts):
        sentence = f'"{name}" only drafts for another model ({drafter_label(facts)}) and cannot chat by itself.'
        return UserError(DRAFTER_ONLY, sentence, "Choose the model it belongs to; it is offered there.")
    if facts.tensor_count == 0:
        return UserError("vocabulary_only", f'"{name}" holds only a vocabulary, no model.', "Get the whole model.")
    if not facts.architecture:
        return UserError("no_architecture", f'"{name}" does not say what kind of model it is.', _CHOOSE)
    return _other_trade(facts, name)


def _other_trade(facts: GgufFacts, name: str) -> UserError | None:
    architecture = facts.architecture
    if architecture in tables.EMBEDDING or facts.pooled or (not facts.causal and architecture not in tables.DIFFUSION):
        sentence = f'"{name}" is an embedding model ({architecture}): it turns text into vectors and cannot chat.'
        return UserError("embedding_model", sentence, _CHOOSE)
    if architecture in tables.ENCODER_DECODER:
        sentence = f'"{name}" is an encoder-decoder model ({architecture}); only decoder models can chat here.'
        return UserError("encoder_decoder", sentence, _CHOOSE)
    if architecture in tables.DIFFUSION:
        sentence = f'"{name}" is a diffusion model ({architecture}): it does not write from left to right.'
        return UserError("diffusion_model", sentence, _CHOOSE)
    if architecture in tables.SPEECH:
        return UserError("speech_model", f'"{name}" is a speech model ({architecture}) and cannot chat.', _CHOOSE)
    if facts.vocabulary_type == "none":
        sentence = f'"{name}" has no vocabulary: it can neither read nor write text.'
        return UserError("no_vocabulary", sentence, _CHOOSE)
    if not facts.layers:
        return UserError("blocks_missing", f'"{name}" has no layers at all.', "Get the whole model.")
    missing = [index for index in range(facts.layers) if not facts.layer_bytes[index]]
    if missing:
        sentence = f'"{name}" lacks {len(missing)} of its {facts.layers} layers, the first of them number {missing[0]}.'
        return UserError("blocks_missing", sentence, "Download it again, or choose another file.")
    return None


def is_drafter(facts: GgufFacts) -> bool:
    """True for files that hold nothing but a drafter."""
    architecture = facts.architecture.lower()
    if architecture in tables.DRAFTERS or architecture.endswith(("-assistant", "_assistant")):
        return True
    return facts.nextn > 0 and facts.layers > 0 and not any(facts.layer_bytes[: facts.layers])


def drafter_label(facts: GgufFacts) -> str:
    """What kind of drafter it is, for example "eagle3 drafter"."""
    if facts.architecture.lower() in tables.DRAFTERS:
        return f"{facts.architecture} drafter"
    if facts.architecture.lower().endswith(("-assistant", "_assistant")):
        return "drafter of the assistant kind"
    return "prediction heads, MTP"
