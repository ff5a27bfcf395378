"""AndroidWorld: its environment with the guard in `execute_action`, and its agents with the guard's word in their goal.

    bare = env_launcher.load_and_setup_env(...)
    env = GuardedEnv(bare, Gate(guard, look(bare)))
    agent = GuardedAgent(m3a.M3A(env, llm), env)
    result = agent.step(goal)           # what was refused, and why, is in the goal of the next step

Nothing of AndroidWorld is imported: the environment is an ``android_world.env.interface.AsyncEnv``, the agent an
``android_world.agents.base_agent.EnvironmentInteractingAgent``, or what has their methods.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from vsalang.agents.driver import seen_by_phone
from vsalang.agents.looking import Glimpse, screens
from vsalang.guard import ActionBlocked
from vsalang.phone.gate import ActionRefused, Gate
from vsalang.phone.vocabulary import Surface, VocabularyError, androidworld, base, m3a
from vsalang.program.action import Action
from vsalang.program.screen import Screen, UnresolvedTarget
from vsalang.program.values import Value

_BY_PLACE: Final = frozenset({"click", "double_tap", "long_press", "input_text"})
_FIELDS: Final = (
    "action_type", "index", "x", "y", "text", "direction", "goal_status", "app_name", "keycode", "clear_text",
)  # fmt: skip


def look(env: Any) -> Callable[[], Screen]:
    """What takes screens through the environment's own eyes, for a `Gate`.

    It reads the forest of the accessibility service. Where the environment has none, the list of elements is all there
    is: it leaves out what is around them, so that little of it can be judged; give the gate the look of a device then.
    """

    def glimpse() -> Glimpse:
        state = env.get_state()
        package, _, activity = str(env.foreground_activity_name).partition("/")
        tree = state.forest if state.forest is not None else state.ui_elements
        return Glimpse(tree, (package, activity or None) if package else None)

    return screens(glimpse, name="the environment's state")


class GuardedEnv:
    """An `AsyncEnv` whose actions are judged; everything else is the environment's.

    An index means the list of elements that the agent was last given (by `get_state` or `reset`): it is judged and
    carried out as the place of that element. The environment would look it up in a newer list.

    Tasks set up and score through ``controller``, which is not judged: an agent must not use it.

    Args:
        env: the environment.
        gate: judges.

    Attributes:
        feedback: why the last action was not carried out; empty if it was.
    """

    def __init__(self, env: Any, gate: Gate) -> None:
        self._env = env
        self.gate = gate
        self.feedback = ""
        self._elements: Sequence[Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._env, name)

    @property
    def interaction_cache(self) -> Any:
        """What the agent answered; tasks read and set it."""
        return self._env.interaction_cache

    @interaction_cache.setter
    def interaction_cache(self, value: Any) -> None:
        self._env.interaction_cache = value

    def reset(self, go_home: bool = False) -> Any:
        """See `AsyncEnv.reset`; the guard sees the result as something that happened by itself."""
        return self._action_fields(self._env.reset(go_home=go_home))

    def get_state(self, wait_to_stabilize: bool = False) -> Any:
        return self._action_fields(self._env.get_state(wait_to_stabilize=wait_to_stabilize))

    def _action_fields(self, state: Any) -> Any:
        self._elements = tuple(state.ui_elements)
        return state

    def execute_action(self, action: Any) -> None:
        """Carry out an action if it may be done.

        Raises:
            ActionBlocked, ActionRefused: it may not. M3A and T3A treat any exception as a wrong action and do not tell
                their model why: `GuardedAgent` does.
            Exception: what the environment raises.
        """
        values = {name: getattr(action, name, None) for name in _FIELDS}
        values = {name: value for name, value in values.items() if value is not None}
        self.feedback = ""
        try:
            if self._elements is None:
                self.get_state()
            try:
                actions = androidworld.read(values, Surface(element=self._place))
            except VocabularyError as error:
                raise self.gate.refuse(f"androidworld: {values.get('action_type')}", str(error)) from error
            if not actions:
                self._env.execute_action(action)  # typing nothing: the environment only says so
                return
            sent = type(action)(**self._placed(values))
            if values["action_type"] == "input_text":
                self._type(sent, actions)
                return
            self.gate.act(actions, lambda: self._env.execute_action(sent))
            if not seen_by_phone(actions):
                self._env.execute_action(sent)  # it keeps the answer
        except (ActionBlocked, ActionRefused) as blocked:
            self.feedback = blocked.feedback
            raise

    def _type(self, sent: Any, actions: Sequence[Action]) -> None:
        """Typing begins with a tap, and presses Enter: what the tap leads to is seen before the rest is judged.

        Raises:
            ActionRefused: the tap gave the focus to no field there; nothing was typed.
        """
        at = {"x": sent.x, "y": sent.y}
        if not self._has_focus(at):
            tap = type(sent)(action_type="click", **at)
            self.gate.act((Action("tap", at),), lambda: self._env.execute_action(tap))

        def forward() -> None:
            if not self._has_focus(at) and self.gate.guard.settings.mode != "shadow":
                raise _NotTyped("refused: the field there has not the focus: nothing was typed; look again")
            self._env.execute_action(sent)

        self.gate.act(actions, forward)

    def _has_focus(self, at: Mapping[str, Value]) -> bool:
        """Whether what is at a place has the focus, on the newest screen that the guard saw."""
        screen = self.gate.guard.snapshot.screen
        try:
            return screen is not None and screen.target("input_text", at).get("focused") is True
        except UnresolvedTarget:
            return False

    def _place(self, number: int) -> Mapping[str, Value]:
        """The place where the environment touches an element.

        Raises:
            LookupError: there is none, or it has no place.
        """
        elements = self._elements or ()
        box = elements[number].bbox_pixels
        if box is None:
            raise LookupError(f"element {number} has no place on the screen")
        x, y = box.center
        return {"x": int(x), "y": int(y)}

    def _placed(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The action as it was judged: at whole pixels, and with the place in place of the index.

        A scroll has no place: its element must still be the same.

        Raises:
            ActionRefused: what is under the index of a scroll has changed.
        """
        sent = dict(arguments)
        sent.update({name: base.pixel(arguments[name], name) for name in ("x", "y") if name in arguments})
        if arguments.get("index") is None:
            return sent
        if arguments["action_type"] in _BY_PLACE:
            del sent["index"]
            return {**sent, **self._place(int(arguments["index"]))}
        number = int(arguments["index"])
        if number:  # the environment scrolls the screen for 0
            seen = self._place(number)
            now = self._env.get_state().ui_elements
            same = number < len(now) and now[number].bbox_pixels is not None
            if not same or now[number].bbox_pixels != (self._elements or ())[number].bbox_pixels:
                raise self.gate.refuse(
                    f"androidworld: scroll at {seen}", "the screen has changed: look again, and choose again"
                )
        return sent


class _NotTyped(ActionRefused):
    """A field has not the focus; nothing was sent."""

    delivered = False


class GuardedAgent:
    """An agent of AndroidWorld that gets the reason why an action was refused, and that ends only when it may.

    Before each step the goal is given what the guard said to the last one, and the next steps if the session has hints.
    An agent that keeps a history (M3A, T3A) gets the refusal into it: they leave out a step that failed. When the agent
    says that it is done, `finish` is judged; if the task is not done, the step is not the last.

    Args:
        agent: acts on `env`.
        env: the guarded environment.
    """

    def __init__(self, agent: Any, env: GuardedEnv) -> None:
        if getattr(agent, "env", env) is not env:
            raise ValueError("the agent acts on another environment: give it the guarded one")
        self._agent = agent
        self._guarded = env
        self._message = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._agent, name)

    def reset(self, go_home: bool = False) -> Any:
        """Begin again; the hint for the last step is forgotten."""
        self._message = ""
        return self._agent.reset(go_home)

    def step(self, goal: str) -> Any:
        self._guarded.feedback = ""
        lines = [goal, self._message or self._guarded.gate.hint]
        result = self._agent.step("\n\n".join(text for text in lines if text))
        feedback = self._guarded.feedback
        if result.done and not feedback:
            feedback = self._ended(result)
        self._message = ""
        if feedback:
            self._message = (
                "A guard checks each action against the task. Your last action was not carried out:\n"
                + feedback
            )
            self._remember(result, feedback)
            result.done = False
        return result

    def _ended(self, result: Any) -> str:
        """Judge the end of the task; why it may not end, empty if it may."""
        try:
            actions = m3a.read(str(_data(result).get("action_output")))
        except VocabularyError:
            actions = ()
        if [action.name for action in actions] != ["give_up"]:
            actions = (Action("finish"),)
        try:
            self._guarded.gate.act(actions, lambda: None)
        except (ActionBlocked, ActionRefused) as blocked:
            return blocked.feedback
        return ""

    def _remember(self, result: Any, feedback: str) -> None:
        data, history = _data(result), getattr(self._agent, "history", None)
        if "summary" not in data or not isinstance(history, list):
            return
        what = " ".join(str(data.get("action_output") or "").split())[:300]
        message = " ".join(feedback.split())[:600]
        data["summary"] = f"Refused by the guard, nothing was done. Chosen: {what} Guard: {message}"
        if not any(step is data for step in history):
            history.append(data)


def _data(result: Any) -> dict[str, Any]:
    return result.data if isinstance(result.data, dict) else {}
