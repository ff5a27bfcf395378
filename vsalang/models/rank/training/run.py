"""Trains a scalar head on pairs, and writes it as a folder that a pooling server serves.

The loss of a pair is -log sigmoid(score(better) - score(worse)) (V-Droid, formula 3; Bradley and Terry 1952), times the
pair's weight, so that each step of a run counts the same. Nothing is fetched: the model is a folder on this machine.
"""

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from vsalang.base.diagnostics.display import count
from vsalang.base.records import dataclass
from vsalang.models.rank.training.data import TrainingData, TrainingPair
from vsalang.models.rank.training.recipe import Recipe, TrainingError

EXTRA: Final = "training"
CHECKPOINTS: Final = "checkpoints"
"""The folder of checkpoints, below the folder that is written."""
_ABOUT: Final = "training.json"


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """The outcome of a training.

    Attributes:
        folder: the model, merged, with its tokenizer: for a pooling server.
        pairs, held_out: how many pairs were trained on, and held out.
        too_long: how many were left out, because a text has more tokens than the recipe takes.
        loss: of the last step that was told.
        accuracy: the share of held-out pairs of which the better text got the greater score; None: none is held out.
        resumed: the checkpoint from which it went on; empty: it began.
    """

    folder: Path
    pairs: int
    held_out: int
    too_long: int
    loss: float | None
    accuracy: float | None
    resumed: str = ""


def train(
    data: TrainingData,
    model: Path,
    out: Path,
    recipe: Recipe,
    *,
    resume: bool = False,
    most_steps: int | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> TrainingResult:
    """Train, and write the model.

    Args:
        model: a folder with a model of any family that `transformers` can give a scalar head, and its tokenizer.
        out: a new folder; with `resume` the one of before.
        resume: whether to go on from the newest checkpoint in `out`.
        most_steps: so many steps of the optimizer at most, whatever the recipe's epochs are.
        tell: is told how it goes.

    Raises:
        TrainingError: a package of the extra ``training`` is missing, the folder holds no model, or nothing is to train
            on.
    """
    parts = _libraries()
    _check(model, out, resume)
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    parts.transformers.logging.set_verbosity_error()
    parts.transformers.logging.disable_progress_bar()
    parts.transformers.set_seed(recipe.seed)
    tokenizer = _tokenizer(parts, model)
    train_rows, too_long = _rows(tokenizer, data.train, recipe.max_tokens)
    held_rows, more = _rows(tokenizer, data.held_out, recipe.max_tokens)
    if not train_rows:
        raise TrainingError(
            f"no pair has at most {recipe.max_tokens} tokens", "a recipe with a greater max_tokens takes them"
        )
    tell(
        f"{count(len(train_rows), 'pair')} to train on, {len(held_rows)} held out, {too_long + more} too long"
    )
    network = _network(parts, model, recipe, tokenizer)
    last = _newest(out) if resume else None
    trainer = _trainer(parts, network, tokenizer, train_rows, out, recipe, most_steps=most_steps)
    result = trainer.train(resume_from_checkpoint=str(last) if last is not None else None)
    accuracy = _accuracy(parts, trainer.model, tokenizer, held_rows) if held_rows else None
    _export(parts, trainer.model, tokenizer, model, out, recipe)
    loss = getattr(result, "training_loss", None)
    trained = TrainingResult(
        out,
        len(train_rows),
        len(held_rows),
        too_long + more,
        float(loss) if loss is not None else None,
        accuracy,
        last.name if last is not None else "",
    )
    _about(trained, recipe, model)
    return trained


@dataclass(frozen=True, slots=True)
class _Parts:
    """The packages of the extra."""

    torch: Any
    transformers: Any
    peft: Any


def _libraries() -> _Parts:
    try:
        import peft
        import torch
        import transformers
    except ImportError as error:
        raise TrainingError(
            f"training needs {error.name or 'torch'}, which is not installed",
            f"pip install 'vsalang[{EXTRA}]'",
        ) from error
    return _Parts(torch, transformers, peft)


def _check(model: Path, out: Path, resume: bool) -> None:
    if not (model / "config.json").is_file():
        raise TrainingError(
            f"{model} is not a folder with a model: it has no config.json",
            "nothing is fetched: give the folder of a model that is on this machine",
        )
    if resume and _newest(out) is None:
        raise TrainingError(f"{out} has no checkpoint to go on from", "leave --resume out to begin")
    if not resume and out.exists() and any(out.iterdir()):
        raise TrainingError(f"{out} exists and is not empty", "name a new folder, or go on with --resume")


def _newest(out: Path) -> Path | None:
    """The newest whole checkpoint in a folder; None: there is none."""
    checkpoints = [
        (int(path.name.rpartition("-")[2]), path)
        for path in (out / CHECKPOINTS).glob("checkpoint-*")
        if path.name.rpartition("-")[2].isdecimal() and (path / "trainer_state.json").is_file()
    ]
    return max(checkpoints)[1] if checkpoints else None


def _tokenizer(parts: _Parts, model: Path) -> Any:
    try:
        tokenizer = parts.transformers.AutoTokenizer.from_pretrained(str(model), local_files_only=True)
    except Exception as error:  # the library raises many kinds
        raise TrainingError(f"{model} has no tokenizer that can be read: {error}") from error
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.pad_token_id is None:
        raise TrainingError(f"the tokenizer of {model} has neither a token for padding nor one for the end")
    return tokenizer


def _rows(tokenizer: Any, pairs: Sequence[TrainingPair], most: int) -> tuple[list[dict[str, Any]], int]:
    """The pairs as numbers of tokens, and how many are too long. Nothing is cut: the head of a prompt says the most."""
    rows, too_long = [], 0
    for one in pairs:
        chosen, rejected = (tokenizer(text)["input_ids"] for text in (one.chosen, one.rejected))
        if max(len(chosen), len(rejected)) > most:
            too_long += 1
        else:
            rows.append({"chosen": chosen, "rejected": rejected, "weight": one.weight})
    return rows, too_long


def _network(parts: _Parts, model: Path, recipe: Recipe, tokenizer: Any) -> Any:
    """The model with a scalar head and adapters."""
    torch = parts.torch
    four_bit = recipe.four_bit and torch.cuda.is_available()
    more: dict[str, Any] = {}
    if four_bit:
        more["quantization_config"] = parts.transformers.BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=_type(torch, recipe)
        )
    try:
        network = parts.transformers.AutoModelForSequenceClassification.from_pretrained(
            str(model), num_labels=1, local_files_only=True, **more
        )
    except Exception as error:
        raise TrainingError(f"{model} cannot be given a scalar head: {error}") from error
    network.config.pad_token_id = tokenizer.pad_token_id
    if four_bit:
        network = parts.peft.prepare_model_for_kbit_training(network)
    config = parts.peft.LoraConfig(
        task_type="SEQ_CLS",
        r=recipe.lora_rank,
        lora_alpha=recipe.lora_alpha,
        lora_dropout=recipe.lora_dropout,
        target_modules=list(recipe.lora_targets),
    )
    try:
        return parts.peft.get_peft_model(network, config)
    except ValueError as error:
        raise TrainingError(f"the model has none of the layers of lora_targets: {error}") from error


def _type(torch: Any, recipe: Recipe) -> Any:
    return {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}[recipe.precision]


def _trainer(
    parts: _Parts,
    network: Any,
    tokenizer: Any,
    rows: list[dict[str, Any]],
    out: Path,
    recipe: Recipe,
    *,
    most_steps: int | None,
) -> Any:
    torch = parts.torch
    cuda = torch.cuda.is_available()
    base: Any = parts.transformers.Trainer

    class Pairs(base):  # type: ignore[misc]
        """Trains by pairs."""

        def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, **more: Any) -> Any:
            weights = inputs.pop("weights")
            scores = model(**inputs).logits.squeeze(-1).float()
            chosen, rejected = scores.chunk(2)
            losses = -torch.nn.functional.logsigmoid(chosen - rejected)
            loss = (losses * weights).sum() / weights.sum()
            return (loss, {"scores": scores}) if return_outputs else loss

    def collate(batch: Sequence[dict[str, Any]]) -> dict[str, Any]:
        texts = [row["chosen"] for row in batch] + [row["rejected"] for row in batch]
        padded = tokenizer.pad({"input_ids": texts}, padding=True, return_tensors="pt")
        return {**padded, "weights": torch.tensor([row["weight"] for row in batch], dtype=torch.float32)}

    arguments = parts.transformers.TrainingArguments(
        output_dir=str(out / CHECKPOINTS),
        per_device_train_batch_size=min(recipe.device_batch, recipe.batch),
        gradient_accumulation_steps=recipe.accumulated,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="cosine_with_min_lr",
        lr_scheduler_kwargs={"min_lr": recipe.last_rate},
        warmup_steps=recipe.warmup_steps,
        num_train_epochs=recipe.epochs,
        max_steps=most_steps if most_steps is not None else -1,
        bf16=cuda and recipe.precision == "bf16",
        fp16=cuda and recipe.precision == "fp16",
        use_cpu=not cuda,
        seed=recipe.seed,
        save_strategy="steps",
        save_steps=recipe.save_steps,
        save_total_limit=2,
        logging_steps=1 if most_steps is not None else 10,
        remove_unused_columns=False,
        report_to=[],
        disable_tqdm=True,
    )
    trainer = Pairs(model=network, args=arguments, train_dataset=rows, data_collator=collate)
    trainer.remove_callback(parts.transformers.PrinterCallback)  # it prints on standard output
    return trainer


def _accuracy(parts: _Parts, network: Any, tokenizer: Any, rows: Sequence[dict[str, Any]]) -> float:
    """The share of pairs of which the better text gets the greater score."""
    torch = parts.torch
    network.eval()
    right = 0
    with torch.no_grad():
        for row in rows:
            padded = tokenizer.pad({"input_ids": [row["chosen"], row["rejected"]]}, return_tensors="pt")
            padded = padded.to(network.device)
            scores = network(**padded).logits.squeeze(-1)
            right += bool(scores[0] > scores[1])
    return right / len(rows)


def _export(parts: _Parts, network: Any, tokenizer: Any, model: Path, out: Path, recipe: Recipe) -> None:
    """Write the merged model and its tokenizer.

    A base in 4 bits is loaded again as it is: adapters are merged into whole weights only.
    """
    if recipe.four_bit and parts.torch.cuda.is_available():
        adapter = out / CHECKPOINTS / "adapter"
        network.save_pretrained(str(adapter))
        base = parts.transformers.AutoModelForSequenceClassification.from_pretrained(
            str(model), num_labels=1, local_files_only=True, dtype=_type(parts.torch, recipe)
        )
        network = parts.peft.PeftModel.from_pretrained(base, str(adapter))
    merged = network.merge_and_unload()
    merged.config.pad_token_id = tokenizer.pad_token_id
    merged.config.id2label, merged.config.label2id = {0: "helps"}, {"helps": 0}
    merged.save_pretrained(str(out), safe_serialization=True)
    tokenizer.save_pretrained(str(out))


def _about(trained: TrainingResult, recipe: Recipe, model: Path) -> None:
    """Write next to the model how it was made."""
    data = {
        "version": 1,
        "base": model.name,
        "pairs": trained.pairs,
        "held_out": trained.held_out,
        "too_long": trained.too_long,
        "loss": trained.loss,
        "accuracy": trained.accuracy,
        "recipe": {name: getattr(recipe, name) for name in Recipe.__dataclass_fields__},
    }
    with contextlib.suppress(OSError):  # the model is there without it
        (trained.folder / _ABOUT).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
