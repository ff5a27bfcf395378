"""The steps of a planned body: each turns a list of bindings (tuples over a layout) into another."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

from vsalang.engine.plan import Tuple
from vsalang.engine.terms import Getter, Test

if TYPE_CHECKING:
    from vsalang.engine.run.session import Session


class Step(Protocol):
    """One step; `run` must not keep state, since plans are shared by sessions."""

    def run(self, session: "Session", envs: list[Tuple]) -> list[Tuple]:
        """The bindings after the step."""
        ...


class Join:
    """Extends bindings by the tuples of an alpha that agree with them.

    Args:
        alpha: the number of the alpha.
        key: pairs of positions, in the binding and in the alpha's tuple, that must be equal.
        new: positions in the alpha's tuple that are appended.
        delta: read the tuples that are new in this round of a fixpoint instead of the alpha.
        names: what the alpha's columns hold: variables.
    """

    __slots__ = ("alpha", "columns", "delta", "key", "names", "new")

    def __init__(
        self,
        alpha: int,
        key: Iterable[tuple[int, int]],
        new: Iterable[int],
        *,
        delta: bool = False,
        names: tuple[str, ...] = (),
    ) -> None:
        pairs = tuple(key)
        self.names = names
        self.alpha = alpha
        self.key = tuple(env for env, _ in pairs)
        self.columns = tuple(column for _, column in pairs)
        self.new = tuple(new)
        self.delta = delta

    def run(self, session: "Session", envs: list[Tuple]) -> list[Tuple]:
        """See `Step`."""
        new, key = self.new, self.key
        out: list[Tuple] = []
        if self.delta or not key:
            tuples = list(session.delta if self.delta else session.alphas[self.alpha].counts)
            columns = self.columns
            for env in envs:
                session.spend(len(tuples))
                if key:
                    wanted = [env[i] for i in key]
                    out.extend(
                        env + tuple([t[c] for c in new]) for t in tuples if [t[c] for c in columns] == wanted
                    )
                elif new:
                    out.extend(env + tuple([t[c] for c in new]) for t in tuples)
                elif tuples:
                    out.append(env)
            return out
        index = session.alphas[self.alpha].index(self.columns)
        for env in envs:
            found = index.get(tuple([env[i] for i in key]))
            session.spend(1)
            if found:
                session.spend(len(found))
                if new:
                    out.extend(env + tuple([t[c] for c in new]) for t in found)
                else:
                    out.append(env)
        return out


class Anti:
    """Keeps the bindings with which no tuple of an alpha agrees (plain negation).

    Args:
        tests: of the tuple behind the binding; all must hold for the tuple to count.
        names: what the alpha's columns hold: variables.
    """

    __slots__ = ("alpha", "columns", "key", "names", "tests")

    def __init__(
        self,
        alpha: int,
        key: Iterable[tuple[int, int]],
        tests: tuple[Test, ...],
        names: tuple[str, ...] = (),
    ) -> None:
        pairs = tuple(key)
        self.names = names
        self.alpha = alpha
        self.key = tuple(env for env, _ in pairs)
        self.columns = tuple(column for _, column in pairs)
        self.tests = tests

    def run(self, session: "Session", envs: list[Tuple]) -> list[Tuple]:
        """See `Step`."""
        alpha, key, tests, ctx = session.alphas[self.alpha], self.key, self.tests, session.ctx
        session.spend(len(envs))
        if not key and not tests:
            return [] if alpha.counts else envs
        index = alpha.index(self.columns) if key else None
        out: list[Tuple] = []
        for env in envs:
            found: Iterable[Tuple] | None = alpha.counts
            if index is not None:
                found = index.get(tuple([env[i] for i in key]))
            if not found:
                out.append(env)
                continue
            if not tests:
                continue
            for other in found:
                session.spend(1)
                both = env + other
                if all(test(both, ctx) for test in tests):
                    break
            else:
                out.append(env)
        return out


class Filter:
    """Keeps the bindings that pass a test.

    Args:
        source: what is tested, as code is made from it: a `Compare`, or the name of a cell and its constraint; None
            for tests of windows.
    """

    __slots__ = ("source", "test")

    def __init__(self, test: Test, source: Any = None) -> None:
        self.test = test
        self.source = source

    def run(self, session: "Session", envs: list[Tuple]) -> list[Tuple]:
        """See `Step`."""
        session.spend(len(envs))
        test, ctx = self.test, session.ctx
        return [env for env in envs if test(env, ctx)]


class Bind:
    """Appends the value of a term; where it is undefined the binding goes. `source`: the name and the term."""

    __slots__ = ("get", "source", "width")

    def __init__(self, get: Getter, source: Any = None) -> None:
        self.get = get
        self.source = source
        self.width = 1

    def run(self, session: "Session", envs: list[Tuple]) -> list[Tuple]:
        """See `Step`."""
        session.spend(len(envs))
        get, ctx = self.get, session.ctx
        return [(*env, value) for env in envs if (value := get(env, ctx)) is not None]


class Enumerate:
    """Appends each of the values of a choice. `source`: the name and the choice."""

    __slots__ = ("get", "source", "width")

    def __init__(self, get: Getter, source: Any = None) -> None:
        self.get = get
        self.source = source
        self.width = 1

    def run(self, session: "Session", envs: list[Tuple]) -> list[Tuple]:
        """See `Step`."""
        out: list[Tuple] = []
        for env in envs:
            values = dict.fromkeys(value for value in self.get(env, session.ctx) if value is not None)
            session.spend(len(values))
            out.extend((*env, value) for value in values)
        return out


class Captures:
    """Appends what the groups of ``?x matches /../`` captured."""

    __slots__ = ("groups", "names", "width")

    def __init__(self, groups: Callable[[Tuple, Any], dict[str, Any] | None], names: tuple[str, ...]) -> None:
        self.groups = groups
        self.names = names
        self.width = len(names)

    def run(self, session: "Session", envs: list[Tuple]) -> list[Tuple]:
        """See `Step`."""
        session.spend(len(envs))
        out: list[Tuple] = []
        for env in envs:
            groups = self.groups(env, session.ctx)
            if groups is not None:
                values = tuple([groups[name] for name in self.names])
                if None not in values:
                    out.append(env + values)
        return out


class Project:
    """Keeps some positions of the bindings, each result once."""

    __slots__ = ("keep",)

    def __init__(self, keep: Iterable[int]) -> None:
        self.keep = tuple(keep)

    def run(self, session: "Session", envs: list[Tuple]) -> list[Tuple]:
        """See `Step`."""
        keep = self.keep
        session.spend(len(envs))
        return list(dict.fromkeys([tuple([env[i] for i in keep]) for env in envs]))


class Ask:
    """Asks an evaluator of literals that are not joins: it is given the literal's variables and yields new values.

    Args:
        names: the variables given, with their positions in the binding.
        ask: from bindings to tuples of the new variables' values.
        width: how many they are.
    """

    __slots__ = ("ask", "names", "width")

    def __init__(
        self,
        names: tuple[tuple[str, int], ...],
        ask: "Callable[[Session, dict[str, Any]], Iterable[Tuple]]",
        width: int,
    ) -> None:
        self.names = names
        self.ask = ask
        self.width = width

    def run(self, session: "Session", envs: list[Tuple]) -> list[Tuple]:
        """See `Step`."""
        seen: dict[Tuple, list[Tuple]] = {}
        out: list[Tuple] = []
        for env in envs:
            session.spend(1)
            key = tuple([env[i] for _, i in self.names])
            found = seen.get(key)
            if found is None:
                given = {name: env[i] for name, i in self.names}
                found = seen[key] = list(dict.fromkeys(self.ask(session, given)))
            out.extend(env + more for more in found)
        return out
