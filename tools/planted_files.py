"""For the self-tests of the checkers in this folder: files with planted mistakes, and the complaints that they must cause.

A planted file is (path, text, expected): a part of the one complaint about it, or None.
"""
import contextlib
import pathlib
import tempfile


@contextlib.contextmanager
def written(planted):
    """A folder that contains the files."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file, text, _ in planted:
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        yield root


def wrong_complaints(planted, complaints, place_of=lambda file, expected: file):
    """What is wrong with the complaints, each of which begins with its place."""
    wrong = []
    for file, _, expected in planted:
        mine = [line for line in complaints if line.startswith(f"{place_of(file, expected)}:")]
        if expected is None and mine:
            wrong.append(f"{file}: expected no complaint, got: {mine}")
        if expected is not None and not (len(mine) == 1 and expected in mine[0]):
            wrong.append(f"{file}: expected one complaint with `{expected}`, got: {mine}")
    return wrong
