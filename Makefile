# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# make run           install what the command and its page need, build, run a scene (WEB=0: without Node and the page)
# make test          the same with what the tests need, and run them all (PRESET=debug|sanitize|clang, WERROR=1, WEB=0, SKIP=regex)
# make python        build the Python package and install it in a virtual environment: venv/bin/python (WEB=0)
# make               only build: the command is build/footfall
# make setup         only install packages (GROUPS="run test python docs web browser ci sundials mpi lammps rivals")
# make fuzz          run the fuzzers, with clang, SECONDS=600 each
# make bench         build and run the benchmarks
# make bench-page    how large the page of a long run is, how soon it opens, how fast it scrubs (browser)
# make hashes        write tests/hash_values.txt anew, after a change of the numerics
# make install       PREFIX=/usr/local, DESTDIR= for packagers
# make docs          the documentation as a site in build/site; makes anew the pages and pictures of docs/ that are generated
# make notebooks     run the notebooks, and write their outputs into them
# make screenshots   make anew the pictures of pages in docs/ (browser)
# make format        clang-format all C; make check-format only looks
# make clean         remove every build

PRESET = release
WEB = 1
WERROR = 0
GROUPS = run test web
# the Python that Debian's packages are for
PYTHON = /usr/bin/python3
PREFIX = /usr/local
DESTDIR =
SKIP =
SECONDS = 600

C_FILES = $(shell find $(wildcard include src cli plugins tests bench tools examples) -name "*.[ch]")

.PHONY: build run python test notebooks setup fuzz bench bench-page hashes install docs screenshots format check-format clean

# `make run` and `make test` configure with the same options: nothing is compiled by both
options = -DFF_WEB=$(WEB) -DFF_WERROR=$(WERROR)
packages = tools/packages run $(if $(filter 0,$(WEB)),,web)

build:
	cmake --preset $(PRESET) $(options)
	cmake --build --preset $(PRESET)

run:
	$(packages)
	cmake --preset release $(options)
	cmake --build --preset release --target footfall_cli
ifeq ($(WEB),0)
	build/footfall run scenes/rolling.yaml --plot build/rolling
else
	@test -s build/web/index.html || { cat build/web/index.html.error 2>/dev/null; \
	    echo "make run: no page of reports: it needs Node 18 or later, npm and the npm registry;" \
	        "'make run WEB=0' does without it"; exit 1; } >&2
	build/footfall run scenes/rolling.yaml --plot build/rolling --report build/rolling.html
	@printf '\nThe page of this run, for a browser:\n'
	@ls build/rolling.html
endif
	@printf '\nPictures of this run:\n'
	@ls build/rolling/*.svg

# Debian's pip installs into virtual environments only; this one sees Debian's packages
python:
	$(packages) python
	cmake --preset release $(options)
	cmake --build --preset release --target footfall_cli python_package
	$(PYTHON) -m venv --system-site-packages venv
	venv/bin/python -m pip install --quiet --no-index --force-reinstall --no-deps ./python
	@venv/bin/python -c 'import footfall; print("footfall", footfall.__version__, "is in venv/bin/python")'

# the generators in tools/ are built so that they do not rot
test:
	$(packages) test
	cmake --preset $(PRESET) $(options) -DFF_TOOLS=ON
	cmake --build --preset $(PRESET)
	ctest --preset $(PRESET) -j $$(nproc) $(if $(SKIP),-E '$(SKIP)')

setup:
	tools/packages $(GROUPS)

# as many at once as there are cores; what they find new stays in the build, and so does what breaks
fuzz:
	cmake --preset clang -B build-fuzz -DFF_FUZZ=ON
	cmake --build build-fuzz
	printf '%s\n' $(notdir $(basename $(wildcard tests/fuzz/*.c))) | xargs -n 1 -P $$(nproc) sh -c ' \
	    mkdir -p build-fuzz/corpus/$$0; \
	    exec build-fuzz/fuzz-$$0 -max_total_time=$(SECONDS) -max_len=2000 -print_final_stats=1 -verbosity=0 \
	        -artifact_prefix=build-fuzz/ build-fuzz/corpus/$$0 tests/fuzz/corpus/$$0 \
	        $$([ $$0 != inclusion ] || echo papers/xiong2013)'

bench:
	cmake --preset release $(options) -DFF_BENCH=ON
	cmake --build --preset release
	set -e; for b in $(notdir $(basename $(wildcard bench/*.c))); do echo "== $$b"; build/bench/$$b; done

bench-page:
	tools/packages run web browser
	$(MAKE) build PRESET=release
	FOOTFALL=$(CURDIR)/build/footfall node tests/web/speed.js

hashes:
	$(MAKE) build PRESET=release
	build/tests/hash --update tests/hash_values.txt

install:
	$(MAKE) build PRESET=release
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

docs: run
	tools/packages docs
	build/footfall laws --markdown >docs/laws.md
	cp build/rolling/energy.svg docs/energy.svg
	build/footfall restitution --compare all --restitution 0.8 --max-depth 0.7mm --at 1 --mass 154g \
	    --speed 1mm/s:10m/s:9log --plot docs/restitution.svg
	python3 tools/site/build.py gallery >docs/gallery.md
	$(PYTHON) tools/site/build.py site build/footfall build/site

notebooks: python
	venv/bin/python notebooks/run.py --write notebooks/*.ipynb

screenshots:
	tools/packages run web browser
	$(MAKE) build PRESET=release
	FOOTFALL=$(CURDIR)/build/footfall node tests/web/screenshots.js docs

format:
	clang-format -i $(C_FILES)

check-format:
	clang-format --dry-run -Werror $(C_FILES)

clean:
	rm -rf build build-*
