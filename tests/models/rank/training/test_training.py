"""Training on the CPU: a random model of two layers, from its folder to one that a pooling server serves.

Needs the extra `training` (`.ci/run training` installs it); skipped where it is not installed.
"""

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra `training` is not installed (.ci/run training)")
transformers = pytest.importorskip(
    "transformers", reason="the extra `training` is not installed (.ci/run training)"
)
pytest.importorskip("peft", reason="the extra `training` is not installed (.ci/run training)")

from tests.models.rank.training.test_recipe import row, write  # noqa: E402
from vsalang.models.rank.training.data import read_pairs, split  # noqa: E402
from vsalang.models.rank.training.recipe import Recipe, TrainingError, read_recipe  # noqa: E402
from vsalang.models.rank.training.run import TrainingResult, train  # noqa: E402

WORDS = "Task : x Action good bad task Yes No".split()
SMALL = """
four_bit = false
precision = "fp32"
learning_rate = 1e-2
warmup_steps = 1
epochs = 6
batch = 4
device_batch = 2
lora_rank = 4
lora_dropout = 0.0
max_tokens = 32
save_steps = 4
held_out = 0.2
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two layers with random weights, and a tokenizer of a few words; nothing is fetched for them."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("model")
    names = ["<pad>", "<unk>", "<s>", "</s>", *WORDS, *map(str, range(60))]
    plain = Tokenizer(models.WordLevel({name: nth for nth, name in enumerate(names)}, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", unk_token="<unk>", bos_token="<s>", eos_token="</s>"
    )
    tokenizer.save_pretrained(str(folder))
    transformers.set_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(names),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        pad_token_id=0,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    file = tmp_path_factory.mktemp("recipe") / "small.toml"
    file.write_text(SMALL)
    return read_recipe(file)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pairs")
    return write(folder / "pairs.jsonl", [row(nth, task=f"task {nth % 12}") for nth in range(36)])


@pytest.fixture(scope="module")
def trained(
    model: Path, file: Path, recipe: Recipe, tmp_path_factory: pytest.TempPathFactory
) -> TrainingResult:
    data = split(read_pairs([file]), recipe)
    return train(data, model, tmp_path_factory.mktemp("out") / "scorer", recipe)


def scores(folder: Path, *texts: str) -> list[float]:
    """What the folder's model gives texts, loaded as a server would."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(
        str(folder), local_files_only=True
    )
    network.eval()
    with torch.no_grad():
        return [float(network(**tokenizer(text, return_tensors="pt")).logits[0, 0]) for text in texts]


def test_the_better_text_gets_the_greater_score(trained: TrainingResult) -> None:
    assert trained.loss is not None and trained.loss < 0.69  # below that of a coin
    assert trained.held_out and trained.accuracy == 1.0
    good, bad = scores(trained.folder, "Task: x\nAction: good 3", "Task: x\nAction: bad 3")
    assert good > bad


def test_the_folder_is_one_that_a_pooling_server_serves(trained: TrainingResult) -> None:
    config: dict[str, Any] = json.loads((trained.folder / "config.json").read_text())
    assert config["architectures"] == ["LlamaForSequenceClassification"]
    assert list(config["id2label"].values()) == ["helps"]
    assert (trained.folder / "model.safetensors").is_file() and (trained.folder / "tokenizer.json").is_file()
    about = json.loads((trained.folder / "training.json").read_text())
    assert about["recipe"]["lora_rank"] == 4 and about["pairs"] == trained.pairs


def test_a_run_that_was_cut_off_goes_on(model: Path, file: Path, recipe: Recipe, tmp_path: Path) -> None:
    data, out = split(read_pairs([file]), recipe), tmp_path / "scorer"
    first = train(data, model, out, recipe, most_steps=4)
    assert first.resumed == ""
    with pytest.raises(TrainingError, match="not empty"):
        train(data, model, out, recipe)
    second = train(data, model, out, recipe, resume=True, most_steps=8)
    assert second.resumed == "checkpoint-4"


def test_what_is_too_long_is_left_out_and_counted(model: Path, recipe: Recipe, tmp_path: Path) -> None:
    long = row(1, chosen="Action: good " + "good " * 50)
    data = split(read_pairs([write(tmp_path / "p.jsonl", [row(nth) for nth in range(6)] + [long])]), recipe)
    assert train(data, model, tmp_path / "out", recipe, most_steps=1).too_long == 1
    only = split(read_pairs([write(tmp_path / "q.jsonl", [long])]), recipe)
    with pytest.raises(TrainingError, match="at most 32 tokens"):
        train(only, model, tmp_path / "other", recipe)
    assert not (tmp_path / "other").exists()


def test_nothing_is_fetched(recipe: Recipe, file: Path, tmp_path: Path) -> None:
    data = split(read_pairs([file]), recipe)
    with pytest.raises(TrainingError, match=r"no config\.json"):
        train(data, Path("meta-llama/Llama-3.1-8B"), tmp_path / "out", recipe)
