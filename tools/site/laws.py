# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""A page for each law: its entry in the catalogue of the command, and plots that the command draws."""

import csv
import json
import os
import re
import subprocess

#: an impact that all normal laws are drawn for: 154 g at 1 m/s, e = 0.8, 0.7 mm deep
WANTED = ["--mass", "154g", "--speed", "1", "--restitution", "0.8"]
#: options of `footfall design` that laws need beside those; None: parameters are given, nothing is designed
DESIGN = {"xiong": ["--contact-time", "2.3ms"], "general": ["--n", "1.5", "--p", "0.5", "--max-depth", "0.7mm"],
          "hertz": None, "lankarani-nikravesh": None, "flores": None, "dmt": None, "jkr": None, "two-term": None}
GIVEN = {"hertz": {"k": 1.2e7}, "lankarani-nikravesh": {"k": 1.2e7, "e": 0.8}, "flores": {"k": 1.2e7, "e": 0.8},
         "dmt": {"k": 1.2e7, "w": 150, "R": 0.0165, "lambda": 1e3}, "jkr": {"k": 1.2e7, "w": 150, "R": 0.0165, "lambda": 1e3},
         "two-term": {"k": 6e6, "k2": 1e11, "chi": 0.35}}

#: parameters of friction laws, by name and unit: 9.81 N of load at a depth of 99 um, springs of about 10 N/mm, a limit of 4.9 N
FRICTION = {("mu", "1"): 0.5, ("mu_s", "1"): 0.6, ("k", "N/m"): 1e4, ("k", "N/m^n"): 1e6, ("k", "1/m"): 1e3,
            ("damping", "N s/m^n"): 2e3, ("damping", "s/m"): 2, ("beta", "s"): 2e-3, ("v_ramp", "m/s"): 1e-3,
            ("epsilon", "m/s"): 1e-3, ("ratio", "1"): 0.1, ("tau", "s"): 1e-3, ("v0", "m/s"): 1e-3, ("xi", "s/m"): 300}
PLATE = """\
# A block of 1 kg is held in place on a plate that moves to and fro by 2 mm in a second.
parameters: {{way: 2 mm, period: 1 s}}
gravity: [0, 0, -9.81]
bodies:
  block: {{mass: 1 kg, shape: {{point: {{}}}}, position: [0, 0, -9.874e-5], lock: [x, y, rotation]}}
ground:
  plate: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1], motion: ["way*sin(2*pi*t/period)", 0, 0]}}}}
pairs:
  - between: [block, plate]
    normal: {{law: hunt-crossley, k: 1e7, lambda: 1e7}}
    friction: {friction}
run: {{until: 1.25 s, every: 1 ms, tol: 1e-7}}
"""


#: laws that resist rolling, and do not slide
ROLLING = {"viscous-bed"}


class Laws:
    """The catalogue of a command, with plots that are put into a folder."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder
        self.tables = {law["name"]: law for law in json.loads(self.run("laws", "--json"))["laws"]}
        head, *entries = re.split(r"^### ", self.run("laws", "--markdown"), flags=re.MULTILINE)
        self.entries = {}
        for entry in entries:
            name, body = entry.split("\n", 1)
            self.entries[name] = re.split(r"^## ", body, flags=re.MULTILINE)[0].strip()

    def run(self, *words):
        done = subprocess.run([self.command, *words], text=True, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"footfall {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def page(self, name):
        """The page of a law, as Markdown."""
        draw = self.normal if self.tables[name]["kind"] == "normal" else self.friction
        return f"# {name}\n\nA {self.tables[name]['kind']} law.\n\n{self.entries[name]}\n\n{draw(name)}\n"

    def normal(self, name):
        """Force against depth, and restitution against speed."""
        more = DESIGN.get(name, ["--max-depth", "0.7mm"])
        if more is None:
            values = GIVEN[name]
        else:
            found = json.loads(self.run("design", "--normal", name, *WANTED, *more, "--json"))["parameters"]
            values = {k: float(f"{v:.4g}") for k, v in found.items() if not isinstance(v, str)}
        words = ["--normal", name]
        for key, value in values.items():
            words += [f"--{key.replace('_', '-')}", f"{value:g}"]
        words += ["--mass", "154g"]
        loop = ["phase", *words, "--speed", "0.25,0.5,0.75,1", "--loop"]
        curve = ["restitution", *words, "--speed", "1mm/s:10m/s:41log"]
        text = ["## Force against depth, and restitution against speed", ""]
        for what, command in (("loop", loop), ("restitution", curve)):
            picture = f"law-{name}-{what}.svg"
            self.run(*command, "--plot", os.path.join(self.folder, picture))
            title = "force against depth" if what == "loop" else "restitution against speed"
            text += [f"![{name}: {title}]({picture})", "", f"    footfall {' '.join(command)} --plot {what}.svg", ""]
        return "\n".join(text)

    def friction(self, name):
        """Force against the displacement of a plate that moves to and fro under a block."""
        if name in ROLLING:
            return "It is a law for `rolling` of a pair, see [Rolling and twist](scenes.html#rolling-and-twist).\n"
        values, parameters = {"law": name}, self.tables[name]["parameters"]
        # a law with an exponent of its own takes k and n from the normal law beside it
        beside = {"k"} if any(p["name"] == "n" for p in parameters) else set()
        for p in parameters:
            if (p["name"], p.get("unit")) in FRICTION and p["name"] not in beside:
                values[p["name"]] = FRICTION[p["name"], p["unit"]]
        friction = "{" + ", ".join(f"{k}: {v}" for k, v in values.items()) + "}"
        scene, trace = (os.path.join(self.folder, f"law-{name}.{kind}") for kind in ("yaml", "csv"))
        with open(scene, "w", encoding="utf-8") as file:
            file.write(PLATE.format(friction=friction))
        self.run("run", scene, "-o", trace, "-q")
        with open(trace, encoding="utf-8") as file:
            rows = [(float(row["t:s"]), float(row["block/plate:fx"])) for row in csv.DictReader(file)]
        os.remove(trace)
        picture = f"law-{name}.svg"
        self.gnuplot(picture, rows)
        return ("## Force against displacement\n\nA block of 1 kg is held in place on a plate that moves to and fro by "
                f"2 mm in a second.\n\n![{name}: friction force against displacement]({picture})\n\n"
                f"The scene is [law-{name}.yaml](law-{name}.yaml), with\n\n    friction: {friction}\n")

    def gnuplot(self, picture, rows):
        script = ["set terminal svg size 640,400 font 'sans,13' background 'white'",
                  f"set output '{os.path.join(self.folder, picture)}'", "set xlabel 'displacement of the plate (mm)'",
                  "set ylabel 'friction force on the block (N)'", "set grid lc rgb '#dddddd'", "unset key",
                  "set xrange [-2.2:2.2]", "set yrange [-7:7]", "plot '-' using (2*sin(2*pi*$1)):2 with lines lw 2 lc rgb '#0072b2'"]
        data = "\n".join(f"{t!r} {f!r}" for t, f in rows)
        subprocess.run(["gnuplot"], input="\n".join(script) + f"\n{data}\ne\n", text=True, check=True)
