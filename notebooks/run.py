#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Run notebooks from top to bottom, without Jupyter.

    run.py NOTEBOOK...            exit 1 where a cell raises an exception, or prints something else than the file shows
    run.py --write NOTEBOOK...    write what cells print and draw into the files

Each cell is run as Jupyter would run it, in the folder of the notebook: what it prints, the value of its last line, and the
figures of matplotlib are its outputs. Magics are not known.
"""

import ast
import base64
import contextlib
import io
import json
import os
import sys
import traceback

os.environ["MPLBACKEND"] = "Agg"
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen when it is imported)

plt.rcParams.update({"figure.figsize": (7, 3.6), "figure.dpi": 90, "axes.grid": True, "grid.alpha": 0.3,
                     "axes.spines.top": False, "axes.spines.right": False, "savefig.facecolor": "white"})


def run_cell(source, names):
    """What a cell prints, the value of its last line or None, and its figures as PNG."""
    tree, value, printed = ast.parse(source), None, io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    figures = []
    for number in plt.get_fignums():
        file = io.BytesIO()
        plt.figure(number).savefig(file, bbox_inches="tight")
        figures.append(base64.b64encode(file.getvalue()).decode())
    plt.close("all")
    # the semicolon of notebooks: no value
    return printed.getvalue(), None if source.rstrip().endswith(";") else value, figures


def outputs(printed, value, figures, count):
    out = []
    if printed:
        out.append({"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)})
    if value is not None:
        out.append({"data": {"text/plain": repr(value).splitlines(keepends=True)}, "execution_count": count, "metadata": {},
                    "output_type": "execute_result"})
    for figure in figures:
        out.append({"data": {"image/png": figure}, "metadata": {}, "output_type": "display_data"})
    return out


def text_of(cell_outputs):
    """What outputs say in words, and how many pictures there are."""
    words = ["".join(o["text"]) if "text" in o else "".join(o["data"].get("text/plain", "")) for o in cell_outputs]
    return "".join(words), sum("image/png" in o.get("data", {}) for o in cell_outputs)


def run(path, write):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    names, count, problems = {"__name__": "__main__"}, 0, 0
    here = os.getcwd()
    os.chdir(os.path.dirname(os.path.abspath(path)))
    try:
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            count += 1
            try:
                found = outputs(*run_cell("".join(cell["source"]), names), count)
            except Exception:
                print(f"{path}: cell {count}:\n{traceback.format_exc()}", file=sys.stderr)
                return 1
            if write:
                cell["outputs"], cell["execution_count"] = found, count
            elif text_of(found) != text_of(cell["outputs"]):
                print(f"{path}: cell {count} shows\n{text_of(cell['outputs'])}\nand gives\n{text_of(found)}", file=sys.stderr)
                problems = 1
    finally:
        os.chdir(here)
    if write:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(notebook, file, indent=1, ensure_ascii=False)
            file.write("\n")
    print(f"{path}: {count} cells")
    return problems


if __name__ == "__main__":
    paths = [word for word in sys.argv[1:] if word != "--write"]
    if not paths:
        sys.exit(__doc__)
    sys.exit(max(run(path, "--write" in sys.argv) for path in paths))
