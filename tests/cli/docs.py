# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""README and docs tell the truth.

Each page is read from top to bottom in a folder of its own, which has the folders of the project in it:
- `NAME`: before a block of yaml or csv: the block is that file of the project, or is written as a file of the folder;
- a block that begins with `$ `: each command is run and prints what the page shows, but for rounding and times;
- a block of sh, and indented lines: commands of footfall run without an error;
- `footfall ...` in a line: the command has these options;
- a link leads to a file, and to a heading of it.
Blocks of Python are run by python/tests/test_docs.py, and those of C by tests/install.
"""

import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import lib
from lib import check, finish

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOOTFALL = os.path.abspath(sys.argv[1])
UPDATE = "--update" in sys.argv
PATH = dict(os.environ, PATH=os.path.dirname(FOOTFALL) + ":" + os.environ["PATH"])
PAGES = [os.path.relpath(path, ROOT) for pattern in ("*.md", "docs/*.md", "papers/*/README.md", "notebooks/*.md")
         for path in sorted(glob.glob(os.path.join(ROOT, pattern)))]
#: directories of the project that commands of pages read
FOLDERS = ("scenes", "papers", "examples", "docs", "include")
#: commands that other tests run, of which only the options are checked: `papers` takes minutes (tests/cli/papers.sh),
#: the page may not be built, `import` needs output of LAMMPS (tests/cli/lammps.sh), these names stand for any file,
#: and variables of a cluster are not set
NOT_RUN = re.compile(r"^footfall (papers|report|import)\b|\b(FILE|SCENE|DIR|NAME|DATA\.csv|FOLDER)\b|(sand|drop|roll|robot)\.|\.\.\.| PATH=|\$[A-Z]")

def run(*args):
    return subprocess.run([FOOTFALL, *args], capture_output=True, text=True, cwd=ROOT)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


HAS_PAGE = "built without" not in run("run", "scenes/rolling.yaml", "--until", "0", "--report", "/nowhere/x.html").stderr
COMMANDS = dict.fromkeys(re.findall(r"^  ([a-z]+)  +", run("--help").stdout, re.M))
for name in COMMANDS:
    COMMANDS[name] = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", run(name, "--help").stdout))


def slug(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower().strip()).replace(" ", "-")


def anchors(path):
    text = re.sub(r"^```.*?^```", "", read(path), flags=re.M | re.S)
    return {slug(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)) for heading in re.findall(r"^#+ (.+)$", text, re.M)}


def links(page, text):
    prose = re.sub(r"^```.*?^```|`[^`\n]+`", "", text, flags=re.M | re.S)
    for address in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", address):
            continue
        path, _, anchor = address.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        ok = os.path.exists(os.path.join(ROOT, target))
        check(f"{page}: link to {address}", ok, "there is no such file")
        if ok and anchor:
            check(f"{page}: link to {address}", anchor in anchors(target), f"headings: {sorted(anchors(target))}")


def options(page, command):
    """The command has these options."""
    words = command.split()
    # `footfall --version`, `footfall COMMAND`, and the beginning of a message, `footfall run: ...`
    if len(words) < 2 or words[1].startswith("-") or words[1] == "COMMAND" or words[1].endswith(":"):
        return
    check(f"{page}: `{command}`", words[1] in COMMANDS, "no such command")
    for word in words[2:]:
        if re.match(r"--?[A-Za-z]", word) and words[1] in COMMANDS:
            option = re.split(r"[=|]", word.strip("[](),;.'\""))[0]
            check(f"{page}: `{command}`", option in COMMANDS[words[1]] | {"-h", "--help"}, f"no option {option}")


def settled(text):
    """What is printed without rounding and times of the clock."""
    text = re.sub(r"^residual .*", "residual", text, flags=re.M)
    return re.sub(r"\b[0-9.]+ (ms|s)$", "TIME", text, flags=re.M)


def shell(command, folder):
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=folder, env=PATH)


def quietly(page, command, folder):
    """A command of footfall that a page shows without its output."""
    options(page, command.split("|")[0])
    if NOT_RUN.search(command) or not HAS_PAGE and "--report" in command:
        return
    done = shell(command, folder)
    check(f"{page}: {command}", done.returncode == 0, done.stderr)


def block(page, kind, body, before, folder):
    """One fenced block; returns what it should be."""
    named = re.search(r"`([\w/.-]+)`:?\s*\Z|`([\w.-]+\.(?:csv|yaml))`,[^`]*:\s*\Z", before)
    if kind in ("yaml", "csv", "python") and named:
        name = named[1] or named[2]
        if "/" in name:
            check(f"{page}: {name}", body in read(name), "the file has other contents")
        else:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(body)
    elif body.startswith("$ "):
        parts = re.split(r"^(\$ .*\n)", body, flags=re.M)[1:]
        out = ""
        for command, shown in zip(parts[::2], parts[1::2]):
            if not re.match(r"\$ footfall ", command):
                out += command + shown
                continue
            options(page, command[2:].split("|")[0].split("2>")[0])
            done = shell(command[2:], folder)
            same = settled(done.stdout) == settled(shown)
            if not UPDATE:
                check(f"{page}: {command[2:-1]}", same and (done.returncode == 0 or "2>&1" in command), done.stdout + done.stderr)
            out += command + (shown if same else done.stdout)
        return out
    elif kind in ("sh", ""):
        # a backslash continues a command
        for line in re.sub(r"\\\n\s*", "", body).split("\n"):
            line = line.split("  #")[0].strip()
            if line.startswith("footfall "):
                quietly(page, line, folder)
    return body


def walk(page):
    text = read(page)
    links(page, text)
    with tempfile.TemporaryDirectory() as folder:
        for name in FOLDERS:
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        # files that stand for one of the reader's
        shutil.copyfile(os.path.join(ROOT, "scenes/rolling.yaml"), os.path.join(folder, "scene.yaml"))
        shutil.copyfile(os.path.join(os.path.dirname(FOOTFALL), "laws", "own_law.so"), os.path.join(folder, "own_law.so"))
        out, at = "", 0
        for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
            out += text[at:found.start()] + f"```{found[1]}\n" + block(page, found[1], found[2], text[at:found.start()], folder) + "```"
            at = found.end()
        out += text[at:]
        if UPDATE and out != text:
            with open(os.path.join(ROOT, page), "w", encoding="utf-8") as file:
                file.write(out)
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
        for line in re.findall(r"^    (footfall .*)$", prose, re.M):
            quietly(page, line.split("  #")[0].strip(), folder)
        for span in re.findall(r"`(footfall [^`]+)`", prose):
            options(page, " ".join(span.split()))


def make_run(text):
    """The first block is `make run` and `make test`; run's last command is done here, in a folder of its own."""
    first = re.search(r"^make run .*\n(.+\n)*", text, re.M)[0]
    check("make run, python, test", re.findall(r"^make (\w+) ", first, re.M) == ["run", "python", "test"], first)
    web = "WEB=1" if HAS_PAGE else "WEB=0"
    # an outer make passes its options to this one
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    recipe = subprocess.run(["make", "-n", "run", web], capture_output=True, text=True, cwd=ROOT, env=clean).stdout
    command = re.search(r"^build/footfall (run .*)", recipe, re.M)[1]
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/build")
        shutil.copytree(f"{ROOT}/scenes", f"{folder}/scenes")
        r = subprocess.run([FOOTFALL, *shlex.split(command)], capture_output=True, text=True, cwd=folder)
        check(f"make run: {command}", r.returncode == 0 and "residual" in r.stdout, r.stderr)
        named = re.findall(r"`(build/[\w/.]+\.\w+)`", text)
        check("a page and pictures are named", {".html", ".svg"} <= {os.path.splitext(name)[1] for name in named}, named)
        for name in named:
            made = name.endswith(".html") and not HAS_PAGE or os.path.getsize(f"{folder}/{name}") > 1000
            check(f"make run makes {name}", made, os.listdir(f"{folder}/build"))
        listed = re.findall(r"^ls (.*)", recipe, re.M)
        files = [f"build/{name}" for name in glob.glob("**/*.*", root_dir=f"{folder}/build", recursive=True)]
        seen = [name for words in listed for word in words.split() for name in glob.glob(word, root_dir=folder)]
        check("make run names every file it makes", sorted(files) == sorted(seen), listed)


def generated():
    """Pages of docs/ that are made by programs are what these print."""
    check("docs/laws.md is `footfall laws --markdown`", read("docs/laws.md") == run("laws", "--markdown").stdout)
    gallery = subprocess.run([sys.executable, os.path.join(ROOT, "tools/site/build.py"), "gallery"], capture_output=True, text=True)
    check("docs/gallery.md is `tools/site/build.py gallery`", read("docs/gallery.md") == gallery.stdout, gallery.stderr)
    # the example program, without its licence lines, and its output
    source = read("examples/restitution.c").split("*/\n", 1)[1]
    check("docs/library.md has examples/restitution.c", source in read("docs/library.md"))
    out = subprocess.run([os.path.join(os.path.dirname(FOOTFALL), "examples", "restitution")], capture_output=True, text=True).stdout
    check("docs/library.md has what it prints", out != "" and out in read("docs/library.md"), out)


def site():
    """The site builds, and none of its links leads to nothing."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import markdown"], capture_output=True).returncode == 0:
            break
    else:
        check("the site", False, "no python3 with markdown: make setup GROUPS=test")
        return
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, os.path.join(ROOT, "tools/site/build.py"), "site", FOOTFALL, folder], capture_output=True, text=True)
        check("make docs", done.returncode == 0, done.stderr)
        for name in os.listdir(folder):
            # forces of all laws except `none` rise and fall; restitution may be constant over speed. Frames and ticks
            # have 16 heights
            if name.startswith("law-") and name.endswith(".svg") and "restitution" not in name and name != "law-none.svg":
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    heights = set(re.findall(r"[ML ]\d+\.\d+,(\d+\.\d+)", file.read()))
                check(f"{name} has a curve", len(heights) > 30, len(heights))


for page in PAGES:
    walk(page)
make_run(read("README.md"))
generated()
site()
finish()
sys.exit(lib.failed > 0)
