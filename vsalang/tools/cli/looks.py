"""A model that looks where it is open what an action did, for the commands that can have one."""

from vsalang.guard.journal import Recorder
from vsalang.models.encode import ModelError
from vsalang.models.encode.look import LookModel, LookOptions
from vsalang.models.look.look import Look, LookAnswer, Looking
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.judging import say_where_sent


def look_of(options: LookOptions | None) -> Look | None:
    """The model that the options name; None: they name none. Says on standard error where pictures are sent.

    Raises:
        Failure: it cannot be asked so.
    """
    if options is None:
        return None
    try:
        client = options.client()
    except ModelError as error:
        raise Failure(str(error), error.hint) from error
    say_where_sent(client, "pictures", "of parts of the screen")
    return LookModel(client)


def looking(options: LookOptions, look: Look, recorder: Recorder) -> Looking:
    """Who asks it in a session, and has the journal keep its result."""

    def record(looked: LookAnswer) -> None:
        recorder.looked(looked.rule, looked.question, looked.outcome, looked.by, looked.problem)

    return Looking(look, f"model {options.model}", record=record)
