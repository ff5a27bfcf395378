"""Runs of an evaluation: parallel, resumed, warm; and no gold in any request."""

import re
import threading
from pathlib import Path

import pytest

from benchmarks.measure.encode import (
    GIVES_UP_AFTER,
    Encoder,
    EncodingResult,
    InstructionScores,
    Order,
    memories,
    open_results,
    outcome,
    read_cases,
    run_orders,
)
from benchmarks.measure.encode.measuring import measured
from tests.measure.encode.cases import SAMPLE, Table, answer, case, copied, encoded, encoder, table
from vsalang.base.source.results import Results, ResultsError
from vsalang.models.encode import Answer, FileModel, Ledger, Message, ModelError, PromptError
from vsalang.program.shares import Share

ROWS, SIZES = "list_other_row", "text_size_either"


def test_both_instructions_are_asked_for_and_scored() -> None:
    model = table(ROWS, SIZES)
    heard: list[EncodingResult] = []
    (part,) = measured([case(ROWS), case(SIZES)], encoder(model), heard=heard.append)
    assert part.mode == "cold" and part.whole
    assert [(each.case.name, each.number) for each in part.scored] == [
        (ROWS, 1), (ROWS, 2), (SIZES, 1), (SIZES, 2),
    ]  # fmt: skip
    assert part.figures().confusion.accuracy == Share(4, 4)
    assert part.figures("apps.settings").confusion.accuracy == Share(2, 2)
    assert len(model.asked) == len(heard) == 4
    first = heard[0]
    assert (first.rounds, first.calls, first.input, first.output, first.model) == (1, 1, 100, 10, "table-1")
    assert first.worked > 0 and "Item(at = 3" in first.text


def test_no_gold_is_in_any_request() -> None:
    """The model sees the instructions and what the apps declare: not a line of the gold, no deadline."""
    names = [ROWS, "table_only_if_no_other"]
    model = table(*names)
    measured([case(name) for name in names], encoder(model), warm=True)
    sent = "\n".join(message.content for messages in model.asked for message in messages)
    instructions = {text for name in names for text in case(name).instructions}
    answered = "\n".join(answer(name, number) for name in names for number in (1, 2))
    gold = 0
    for name in names:
        for file in ("spec1.vsa", "spec2.vsa"):
            for line in (SAMPLE / name / file).read_text(encoding="utf-8").splitlines():
                said = line.strip()
                if len(said) < 12 or said.startswith(("import", "spec", "clock")) or said in answered:
                    continue  # what every spec says, or what the model itself said for another case
                gold += 1
                assert said not in sent
            assert f"{name}_{file[4]}" not in sent
    assert gold > 20
    assert "deadline" not in sent and str(SAMPLE) not in sent
    assert all(text in sent for text in instructions)


def test_the_day_is_that_of_the_run() -> None:
    model = table("table_other_day")
    measured([case("table_other_day")], encoder(model))
    assert (
        "on Wednesday, 2026-04-01 at 09:30; the user's language and country: en_US"
        in model.asked[0][1].content
    )


class Waiting(Table):
    """Answers when so many ask at once."""

    def __init__(self, other: Table, together: int) -> None:
        super().__init__(other.answers)
        self.barrier = threading.Barrier(together, timeout=60)

    def ask(self, messages: tuple[Message, ...]) -> Answer:  # type: ignore[override]
        self.barrier.wait()
        return super().ask(messages)


def test_models_are_waited_for_together() -> None:
    model = Waiting(table(ROWS, SIZES), 4)
    (part,) = measured([case(ROWS), case(SIZES)], encoder(model), jobs=4)
    assert part.figures().confusion.accuracy == Share(4, 4)


def test_no_more_than_jobs_ask_at_once() -> None:
    here, most = 0, 0
    lock = threading.Lock()

    def asked(order: Order) -> EncodingResult:
        nonlocal here, most
        with lock:
            here += 1
            most = max(most, here)
        threading.Event().wait(0.002)
        with lock:
            here -= 1
        return encoded(order, "x")

    orders = [Order(case(ROWS), 1, n) for n in range(1, 21)]
    found = [order.sample for order, _ in run_orders(orders, asked, 3)]
    assert sorted(found) == list(range(1, 21))
    assert most <= 3


def test_one_failure_stops_nothing() -> None:
    model = table(ROWS, SIZES)
    first = case(ROWS).instructions[0]
    model.answers = {**model.answers, first: ModelError("busy", "wait")}
    (part,) = measured([case(ROWS), case(SIZES)], encoder(model), warm=True)
    assert not part.whole and part.left == 0
    assert [(order.case.name, order.number, str(error)) for order, error in part.failed] == [
        (ROWS, 1, "busy")
    ]
    assert part.figures().specs == 3


def test_a_dead_model_is_given_up() -> None:
    def dead(order: Order) -> EncodingResult:
        raise ModelError("nobody is there")

    orders = [Order(case(ROWS), 1, n) for n in range(1, 21)]
    assert len(list(run_orders(orders, dead, 1))) == GIVES_UP_AFTER


def test_other_errors_end_the_run() -> None:
    def wrong(order: Order) -> EncodingResult:
        raise PromptError("no template")

    with pytest.raises(PromptError):
        list(run_orders([Order(case(ROWS), 1, 1)], wrong, 1))


def test_an_instruction_without_a_spec_is_wrong() -> None:
    model = table(ROWS)
    model.answers = dict.fromkeys(model.answers, "I cannot.")
    (part,) = measured([case(ROWS)], encoder(model, rounds=2))
    figures = part.figures()
    assert figures.confusion.accuracy == Share(0, 2)
    assert (figures.written, figures.level) == (Share(0, 2), Share(0, 3))
    assert figures.rounds == (2, 2)


# ---------------------------------------------------------------- results


def keep(results: Results[EncodingResult], found: EncodingResult) -> None:
    results.add(found.key, found)


def resumed(place: Path, model: Table, **more: object) -> list[EncodingResult]:
    heard: list[EncodingResult] = []
    results = open_results(place, **more)  # type: ignore[arg-type]

    def add(found: EncodingResult) -> None:
        keep(results, found)
        heard.append(found)

    measured([case(ROWS), case(SIZES)], encoder(model, known=results.get), heard=add)
    results.close()
    return heard


@pytest.mark.slow
def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """A line that was cut in two by the end of its process is asked for again, the others are not."""
    place = tmp_path / "results.jsonl"
    before = resumed(place, table(ROWS, SIZES))
    data = place.read_bytes()
    assert data.count(b"\n") == 4
    place.write_bytes(data[: len(data) - 40])
    model = table(ROWS, SIZES)
    again = resumed(place, model)
    assert len(model.asked) == 1
    assert [each.text for each in again] == [each.text for each in before]
    assert len(place.read_text(encoding="utf-8").splitlines()) == 4
    idle = table(ROWS, SIZES)
    resumed(place, idle)
    assert idle.asked == []
    resumed(place, idle, restart=True)
    assert len(idle.asked) == 4


def test_another_question_is_asked_again(tmp_path: Path) -> None:
    """What was answered counts for the same instruction, app, prompt, model and options only."""
    results = open_results(tmp_path / "r.jsonl")
    model = table(ROWS)
    orders = [Order(case(ROWS), 1, 1), Order(case(ROWS), 1, 2)]
    for order in orders:
        keep(results, encoder(model, known=results.get).encoded(order))
    for changed in (
        encoder(model, rounds=2, known=results.get),
        Encoder(lambda order, reads: model, "another model", Ledger(), known=results.get),
    ):
        changed.encoded(orders[0])
    assert len(model.asked) == 4
    encoder(model, known=results.get).encoded(orders[0])
    assert len(model.asked) == 4


def test_an_app_belongs_to_the_question(tmp_path: Path) -> None:
    """An app that changed where its vocabulary does not show it is another one."""
    place = copied(tmp_path, ROWS, apps=None)
    text = (SAMPLE.parents[1] / "app_specs" / "apps" / "trusttest.vsa").read_text(encoding="utf-8")
    for file in ("spec1.vsa", "spec2.vsa"):
        gold = (place / file).read_text(encoding="utf-8").replace("import apps.trusttest", "import trusttest")
        (place / file).write_text(gold, encoding="utf-8")
    results = open_results(tmp_path / "r.jsonl")
    model = table(ROWS)
    model.answers = {
        said: told.replace("apps.trusttest", "trusttest") for said, told in model.answers.items()
    }
    for more in ("", "", "\n// changed\n"):
        (place / "trusttest.vsa").write_text(
            text.replace("apps.trusttest", "trusttest") + more, encoding="utf-8"
        )
        (found,) = read_cases([place])
        keep(results, encoder(model, known=results.get).encoded(Order(found, 1, 1)))
    assert (len(model.asked), len(results)) == (2, 2)


def test_a_template_belongs_to_the_question(tmp_path: Path) -> None:
    results = open_results(tmp_path / "r.jsonl")
    model = table(ROWS)
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "feedback.j2").write_text("{{ header }}", encoding="utf-8")
    for _ in range(2):
        keep(results, encoder(model, prompts=prompts, known=results.get).encoded(Order(case(ROWS), 1, 1)))
    assert len(model.asked) == 1
    (prompts / "feedback.j2").write_text("{{ header }}!", encoding="utf-8")
    encoder(model, prompts=prompts, known=results.get).encoded(Order(case(ROWS), 1, 1))
    assert len(model.asked) == 2


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(
    "text", ["7\n", "{}\n", "no json\n", "[" * 100_000 + "\n", "a letter without an end"]
)
def test_a_file_of_others_is_refused(text: str, restart: bool, tmp_path: Path) -> None:
    """Nothing is thrown away that no evaluation wrote."""
    place = tmp_path / "results.jsonl"
    place.write_text(text, encoding="utf-8")
    with pytest.raises(ResultsError, match=r"results\.jsonl:1: this is not a result"):
        open_results(place, restart=restart)
    assert place.read_text(encoding="utf-8") == text


def test_a_restart_forgets_results(tmp_path: Path) -> None:
    place = tmp_path / "results.jsonl"
    results = open_results(place)
    keep(results, encoded(Order(case(ROWS), 1, 1), "x"))
    results.close()
    with pytest.raises(ResultsError):
        place.write_text(place.read_text(encoding="utf-8") + '{"key": "x"}\n', encoding="utf-8")
        open_results(place)
    open_results(place, restart=True).close()
    assert place.read_text(encoding="utf-8") == ""


def test_results_are_not_written_through_a_link(tmp_path: Path) -> None:
    for target in (tmp_path / "notes.txt", tmp_path / "none"):
        link = tmp_path / f"to_{target.stem}.jsonl"
        link.symlink_to(target)
        with pytest.raises(ResultsError, match="is a link"):
            open_results(link)
        assert not target.exists()


def test_wrong_values_in_results_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "results.jsonl"
    results = open_results(place)
    keep(results, encoded(Order(case(ROWS), 1, 1), "x"))
    results.close()
    text = place.read_text(encoding="utf-8")
    for before, after in (('"number": 1', '"number": 3'), ('"rounds": 1', '"rounds": "1"'), ("[]", "7")):
        assert before in text
        place.write_text(text.replace(before, after, 1), encoding="utf-8")
        with pytest.raises(ResultsError, match="is wrong"):
            open_results(place)


def test_results_have_one_writer(tmp_path: Path) -> None:
    first = open_results(tmp_path / "r.jsonl")
    with pytest.raises(ResultsError, match="another run is using it"):
        open_results(tmp_path / "r.jsonl", restart=True)
    first.close()
    open_results(tmp_path / "r.jsonl").close()
    with pytest.raises(ResultsError, match="is a directory"):
        open_results(tmp_path)


# ---------------------------------------------------------------- cold and warm


@pytest.mark.slow
def test_a_warm_run_leaves_the_case_out() -> None:
    """The second time the model is shown what proved right for other cases, never for the case itself."""
    names = ["revoke_other_permission", "clear_data_of_other_app", SIZES]
    model = table(*names)
    parts = measured([case(name) for name in names], encoder(model), warm=True)
    assert [part.mode for part in parts] == ["cold", "warm"]
    cold, warm = model.asked[:6], model.asked[6:]
    assert all("ClearData(app = " not in messages[1].content for messages in cold)
    said = {messages[1].content for messages in warm}
    for text in said:
        own = 'spec task "The app Chess is broken' in text.split("Its first lines are")[1]
        assert ('ClearData(app = "Chess")' in text) == (not own and "The app Calendar is broken" not in text)
        assert 'ClearData(app = "Calendar")' not in text, "what is contradicted has not proved right"


def test_what_was_wrong_is_not_remembered() -> None:
    names = ["revoke_other_permission", "clear_data_of_other_app"]
    model = table(*names)
    chess = case(names[1]).instructions[0]
    model.answers = {**model.answers, chess: answer(names[1], 1).replace('app = "Chess"', 'app = "Mail"')}
    measured([case(name) for name in names], encoder(model), warm=True)
    assert not any('app = "Mail"' in messages[1].content for messages in model.asked)


def test_a_spec_without_apps_teaches_nothing() -> None:
    about = case(ROWS)
    order = Order(about, 1, 1)
    text = 'spec task "x"\nallow answer(text = "Cherry").\ndone when answer earlier.\n'
    scored = InstructionScores(about, 1, (outcome(order, encoded(order, text)),))
    assert scored.is_right(1)
    assert memories([about, case(SIZES)], [scored]) == {ROWS: (), SIZES: ()}
    right = InstructionScores(
        about, 1, (outcome(order, encoded(order, answer(ROWS, 1).split("```vsa")[1].split("```")[0])),)
    )
    found = memories([about, case(SIZES)], [right])
    assert (len(found[ROWS]), [each.id for each in found[SIZES]]) == (0, [f"{ROWS} 1"])


# ---------------------------------------------------------------- a model that is asked by files


def test_jobs_share_a_folder_of_requests(tmp_path: Path) -> None:
    """Conversations in several threads get the answers to their own requests; the same request is written once."""
    asked = [[Message("user", f"question {n % 10}")] for n in range(30)]
    found: dict[int, str] = {}
    stop = threading.Event()

    def answers() -> None:
        while not stop.is_set():
            for place in tmp_path.glob("*.request.json"):
                number = re.search(r"question (\d+)", place.read_text(encoding="utf-8"))
                assert number is not None
                target = place.with_name(place.name.replace("request.json", "answer.txt"))
                if not target.exists():
                    (tmp_path / ".draft").write_text(f"answer {number[1]}", encoding="utf-8")
                    (tmp_path / ".draft").rename(target)
            stop.wait(0.005)

    def ask(number: int) -> None:
        found[number] = FileModel(tmp_path, name="m", timeout=60).ask(asked[number]).text

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(30)]
    answerer = threading.Thread(target=answers)
    answerer.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    answerer.join()
    assert found == {n: f"answer {n % 10}" for n in range(30)}
    assert len(list(tmp_path.glob("*.request.json"))) == 10


def test_the_form_of_answers_is_handed_on() -> None:
    model = table(ROWS)
    encoder(model, form="json", rounds=1).encoded(Order(case(ROWS), 1, 1))
    assert "one JSON object" in model.asked[0][1].content
