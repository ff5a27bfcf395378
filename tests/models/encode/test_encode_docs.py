"""The page docs/commands/models.md#vsac-encode-specs-from-instructions agrees with the command and the library."""

import re
from pathlib import Path

import jinja2
import jinja2.meta
import pytest

import vsalang
from tests.pages import section
from vsalang.models.client.usage import Tokens
from vsalang.models.encode import Prices
from vsalang.models.encode.prompting import TEMPLATES

ROOT = Path(vsalang.__file__).parents[1]


@pytest.fixture(scope="module")
def page() -> str:
    return section("models", "`vsac encode`")


def test_the_python_example_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)\n```\n", page, re.DOTALL)
    exec(compile(code, "encode.md", "exec"), {})
    assert capsys.readouterr().out.startswith('spec early "Book a table before seven."')


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_templates_use_only_described_variables(page: str, name: str) -> None:
    row = next(line for line in page.splitlines() if line.startswith(f"| `{name}.j2`"))
    source = (ROOT / "vsalang" / "models" / "encode" / "templates" / f"{name}.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment()
    environment.filters |= {"quoted": str, "fenced": str}
    used = jinja2.meta.find_undeclared_variables(environment.parse(source))
    described = set(re.findall(r"`(\w+)`", row.split("|")[3]))
    assert used <= described and bool(used) is (name != "charter")


def test_the_example_of_prices_is_read(tmp_path: Path) -> None:
    text = section("models", "Which model")
    (example,) = re.findall(r"```toml\n(.*?)\n```\n", text, re.DOTALL)
    (tmp_path / "prices.toml").write_text(example, encoding="utf-8")
    found = Prices.read(tmp_path / "prices.toml").of("qwen3", "http://localhost:11434/v1")
    assert found is not None and found.of(Tokens(10**6, 10**6)) == 0.0
