"""The app of a tree whose source does not say of which app its nodes are."""

from dataclasses import replace

from vsalang.program.text import canonical
from vsalang.screen.tree.node import Node, Tree, Window


def packages(tree: Tree) -> tuple[str, ...]:
    """The packages that the visible nodes say they are of, sorted."""
    return tuple(sorted({node.package for node in tree.nodes if node.package is not None}))


def with_package(tree: Tree, package: str) -> Tree:
    """The tree with a package for each node and window that says none; they keep their numbers.

    The app in the foreground is then this one, too, unless the source says which one it is.
    """
    name = canonical(package)

    def node(one: Node) -> Node:
        return one if one.package is not None else replace(one, package=name, unread=one.unread - {"package"})

    def window(one: Window) -> Window:
        return one if one.package is not None else replace(one, package=name)

    return replace(
        tree,
        nodes=tuple(map(node, tree.nodes)),
        windows=tuple(map(window, tree.windows)),
        app=tree.app if tree.app is not None else (name, None),
        other=None if tree.other is None else with_package(tree.other, package),
    )
