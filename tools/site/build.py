#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Build the documentation as a site of plain pages, or write the pages of docs/ that are generated.

    build.py site FOOTFALL FOLDER    README, docs/, notebooks, laws, commands and headers as HTML in FOLDER
    build.py gallery                 print docs/gallery.md: the scenes by what their files say at their heads

FOOTFALL is the command. The site needs Python's `markdown` (Debian: python3-markdown) and gnuplot. A link that leads to
nothing is an error.
"""

import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

#: the pages in their order; a page that is not here is an error
SECTIONS = {
    "Start": ["README.md", "docs/install.md", "docs/tutorial.md", "docs/python.md", "docs/gallery.md", "docs/faq.md"],
    "Guides": ["docs/choosing.md", "docs/runs.md", "docs/impacts.md", "docs/fit.md", "docs/sweep.md", "docs/export.md", "docs/gait.md", "docs/inclusions.md",
               "docs/own-laws.md", "docs/library.md", "docs/papers.md"],
    "Notebooks": ["notebooks/*.ipynb"],
    "Reference": ["docs/scenes.md", "command", "docs/laws.md", "docs/fields.md", "docs/traces.md", "docs/report.md", "api"],
    "Background": ["docs/theory.md", "docs/limits.md", "docs/performance.md", "docs/glossary.md", "CHANGELOG.md",
                   "CONTRIBUTING.md"],
}
#: pages below others: not in the list of pages
BELOW = ["papers/*/README.md"]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def slug(heading, separator="-"):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower().strip()).replace(" ", separator)


def matching(pattern):
    return sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, pattern)))


# the gallery


def about(scene):
    """What a scene says at its head: its comment, without the commands in it."""
    lines = []
    for line in read(scene).split("\n"):
        if not line.startswith("#"):
            break
        lines.append(line[1:].strip())
    return " ".join(line for line in lines if not line.startswith("footfall ")).strip()


def gallery():
    """docs/gallery.md."""
    out = ["# Gallery", "",
           "The scenes that come with footfall. The pictures are of their [pages](report.md), made by `make screenshots`; the "
           "text is what", "each file says at its head. This page is made by `make docs`.", ""]
    for scene in matching("scenes/*.yaml"):
        name = os.path.basename(scene)[:-5]
        sentence = re.split(r"(?<=[.:?)]) (?=[A-Z`])", about(scene))
        text, rest = "", list(sentence)
        # sentences up to about three lines
        while rest and len(text) + len(rest[0]) < 330:
            text += (" " if text else "") + rest.pop(0)
        text = re.sub(r":$", ".", text or sentence[0])
        text = re.sub(r"\b((?:scenes|examples|docs|tests/cli)/[\w.]+)", r"`\1`", text)
        out += [f"## {name}", "", f"![{name}](gallery/{name}.jpg)", "", text, "",
                "```sh", f"footfall run {scene} --report {name}.html", "```", ""]
    return "\n".join(out[:-1]) + "\n"


# the site


def notebook(path):
    """A notebook as Markdown: its texts, its code, and what the code printed and drew."""
    out = []
    for cell in json.loads(read(path))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            out += [source, ""]
            continue
        out += ["```python", source, "```", ""]
        for output in cell["outputs"]:
            data = output.get("data", {})
            text = "".join(output.get("text", data.get("text/plain", "")))
            if "image/png" in data:
                out += [f'<img alt="output" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">', ""]
            elif text:
                out += ['<pre class="output">' + html.escape(text.rstrip("\n")) + "</pre>", ""]
    return "\n".join(out)


def command_page(command):
    """The command's own help, of each subcommand."""
    def helped(*words):
        return subprocess.run([command, *words, "--help"], text=True, capture_output=True, check=True).stdout.rstrip()

    top = helped()
    out = ["# The command", "", "What `footfall COMMAND --help` prints. The manual page is `man footfall`, after `make install`.", "",
           "```", top, "```", ""]
    for name in re.findall(r"^  ([a-z]+)  +", top, re.MULTILINE):
        out += [f"## footfall {name}", "", "```", helped(name), "```", ""]
    return "\n".join(out)


class Site:
    """Pages by their source; links between sources become links between pages, other files are copied."""

    def __init__(self, command, folder):
        import markdown
        self.markdown, self.command, self.folder = markdown, command, folder
        self.texts, self.targets, self.nav, self.copied = {}, {}, [], set()
        self.names = {}
        self.problems = []

    def add(self, source, target, text):
        """A page: the path it is written as, relative to the root of the project, its file and its Markdown."""
        self.texts[source], self.targets[source] = text, target
        for name in re.findall(r'<a id="((?:ff|FF)_\w+)">', text):
            self.names.setdefault(name, f"{target}#{name}")

    def title(self, source):
        if source == "README.md":
            return "Overview"
        return re.search(r"^# (.+)$", self.texts[source], re.MULTILINE)[1].replace("`", "")

    def collect(self):
        import api
        import laws
        listed = []
        for section, patterns in SECTIONS.items():
            pages = []
            for pattern in patterns:
                if pattern == "command":
                    self.add("command", "command.html", command_page(self.command))
                    pages.append("command")
                elif pattern == "api":
                    pages.append("api")
                    heads = matching("include/footfall/*.h")
                    overview = ["# API reference", "", "The public headers, `#include <footfall/footfall.h>`.", ""]
                    for path in heads:
                        name = os.path.basename(path)
                        self.add(path, f"api-{name[:-2]}.html", api.header(name, read(path)))
                        first = re.search(r"^(?!#|<|`)\S.*?(?:[.:;](?=\s)|$)", self.texts[path], re.MULTILINE | re.DOTALL)
                        overview.append(f"- [{name}]({path}): {' '.join(first[0].split()) if first else ''}")
                    self.add("api", "api.html", "\n".join(overview) + "\n")
                else:
                    for path in matching(pattern):
                        text = notebook(path) if path.endswith(".ipynb") else read(path)
                        target = "index.html" if path == "README.md" else os.path.basename(path).rsplit(".", 1)[0] + ".html"
                        self.add(path, target, text)
                        pages.append(path)
            self.nav.append((section, pages))
            listed += pages
        for pattern in BELOW:
            for path in matching(pattern):
                self.add(path, f"papers-{path.split('/')[1]}.html", read(path))
        forgotten = set(matching("docs/*.md")) - set(listed)
        self.problems += [f"{path}: no place in the list of pages (tools/site/build.py)" for path in sorted(forgotten)]
        catalogue = laws.Laws(self.command, self.folder)
        for name in catalogue.entries:
            self.add(f"law {name}", f"law-{name}.html", catalogue.page(name))
        # the names of laws in the catalogue lead to their pages
        self.texts["docs/laws.md"] = re.sub(r"^### (\S+)$", lambda m: f"### [{m[1]}](law-{m[1]}.html)",
                                            self.texts["docs/laws.md"], flags=re.MULTILINE)

    def link(self, source, address):
        """Where a link of a page leads to on the site."""
        if re.match(r"[a-z]+:", address) or address.startswith("#"):
            return address
        path, _, anchor = address.partition("#")
        if os.path.exists(os.path.join(self.folder, path)) or path in self.targets.values():
            return address
        base = os.path.dirname(source) if "/" in source else ""
        # links of generated pages are relative to the root
        found = os.path.normpath(os.path.join("" if source in ("api", "command") else base, path))
        if found in self.targets:
            return self.targets[found] + (f"#{anchor}" if anchor else "")
        full = os.path.join(ROOT, found)
        if os.path.isdir(full):
            return self.listing(found)
        if not os.path.isfile(full):
            self.problems.append(f"{source}: {address} leads to nothing")
            return address
        return self.copy(found)

    def copy(self, path):
        """A file of the project on the site, as it is; sources as text, which browsers show."""
        pictures = (".svg", ".png", ".jpg")
        name = "files/" + path + ("" if path.endswith(pictures) else ".txt")
        if name not in self.copied:
            self.copied.add(name)
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, path), os.path.join(self.folder, name))
        return name

    def listing(self, path):
        """A page that lists the files of a folder."""
        target = "folder-" + path.replace("/", "-") + ".html"
        source = f"folder {path}"
        if source not in self.texts:
            files = [found for found in matching(f"{path}/**") if os.path.isfile(os.path.join(ROOT, found))]
            links = [f"- [{found}]({self.targets.get(found) or self.copy(found)})" for found in files]
            self.add(source, target, f"# {path}\n\n" + "\n".join(links) + "\n")
        return target

    def page(self, source):
        """The HTML of a page."""
        body = self.markdown.markdown(self.texts[source], extensions=["tables", "fenced_code", "sane_lists", "toc"],
                                      extension_configs={"toc": {"slugify": slug, "toc_depth": "2-3"}})
        body = re.sub(r'(href|src)="([^"]+)"', lambda m: f'{m[1]}="{html.escape(self.link(source, html.unescape(m[2])))}"'
                      if not m[2].startswith("data:") else m[0], body)
        own = self.targets[source]

        def named(match):
            to = self.names.get(match[0])
            return f'<a href="{to}">{match[0]}</a>' if to else match[0]

        # names of the API in code lead to where they are declared
        body = re.sub(r"<code[^>]*>.*?</code>", lambda m: re.sub(r"\b(?:ff_[a-z0-9_]+|FF_[A-Z0-9_]+)\b", named, m[0]),
                      body, flags=re.DOTALL)
        body = re.sub(r"<table>.*?</table>", r'<div class="scroll">\g<0></div>', body, flags=re.DOTALL)
        nav = []
        for section, pages in self.nav:
            items = "".join(f'<li><a href="{self.targets[p]}"{" aria-current=page" if p == source else ""}>'
                            f"{html.escape(self.title(p))}</a></li>" for p in pages)
            if items:
                nav.append(f"<h2>{section}</h2><ul>{items}</ul>")
        title = "footfall" if own == "index.html" else f"{self.title(source)} · footfall"
        return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
                '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                '<meta name="color-scheme" content="light dark">\n<link rel="stylesheet" href="style.css">\n</head>\n<body>\n'
                '<details class="menu"><summary>footfall</summary><nav>' + "".join(nav) + "</nav></details>\n"
                '<nav class="side" aria-label="Pages"><a class="home" href="index.html">footfall</a>' + "".join(nav) +
                f"</nav>\n<main>\n{body}\n</main>\n</body>\n</html>\n")

    def write(self):
        os.makedirs(self.folder, exist_ok=True)
        shutil.copyfile(os.path.join(HERE, "style.css"), os.path.join(self.folder, "style.css"))
        self.collect()
        done = {}
        # a page may add listings of folders that it links to
        while set(self.texts) - set(done):
            for source in sorted(set(self.texts) - set(done)):
                done[source] = self.page(source)
        for source, text in done.items():
            with open(os.path.join(self.folder, self.targets[source]), "w", encoding="utf-8") as file:
                file.write(text)
        self.check(done)
        return len(done)

    def check(self, done):
        """Every link within the site leads to a file, and to an anchor of it."""
        anchors = {self.targets[source]: set(re.findall(r'id="([^"]+)"', text)) for source, text in done.items()}
        for source, text in done.items():
            for address in re.findall(r'(?:href|src)="([^"]+)"', text):
                path, _, anchor = html.unescape(address).partition("#")
                path = path or self.targets[source]
                if re.match(r"[a-z]+:", path):
                    continue
                if not os.path.exists(os.path.join(self.folder, path)):
                    self.problems.append(f"{source}: {address} leads to nothing")
                elif anchor and anchor not in anchors.get(path, ()):
                    self.problems.append(f"{source}: {address}: there is no such heading")


def main(words):
    if words == ["gallery"]:
        sys.stdout.write(gallery())
        return 0
    if len(words) != 3 or words[0] != "site":
        sys.exit(__doc__)
    site = Site(os.path.abspath(words[1]), os.path.abspath(words[2]))
    count = site.write()
    for problem in sorted(set(site.problems)):
        print(f"site: {problem}", file=sys.stderr)
    print(f"{count} pages in {words[2]}; begin with {os.path.join(words[2], 'index.html')}")
    return 1 if site.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
