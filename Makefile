# The one list of commands. `make` alone prints it.
.PHONY: help setup build demo install test bless guests-test fuzz-short fuzz deny dependencies lint features package bench bench-web test-clients test-fronts test-native web test-web test-webkit web-demo wheel npm dist clean

# A clean checkout in CI keeps what it built beside it, so that the next one starts warm.
ifdef CI
export CARGO_TARGET_DIR ?= $(HOME)/.cache/cofferdam/target
endif
TARGET := $(or $(CARGO_TARGET_DIR),target)

# Always the whole workspace: selecting single crates changes which features wasmtime is built
# with, and building it again takes minutes.
CARGO_FLAGS := --release --workspace --locked

# Guests whose tests run on this machine; the others are made of what these test, or of WebAssembly.
NATIVE_GUESTS := -p cofferdam-guest-commands -p cofferdam-guest-js -p cofferdam-guest-sh -p cofferdam-guest-sys

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

setup:  ## install what guests are built with; does nothing when all is there
	@scripts/guest-toolchain

build: setup  ## build the program: target/release/cofferdam
	cargo build $(CARGO_FLAGS)

demo: build  ## build, then show what it does
	@$(TARGET)/release/cofferdam demo

PREFIX ?= $(HOME)/.local
SHARE := $(DESTDIR)$(PREFIX)/share

install: build  ## the program, man pages and completions, below PREFIX (~/.local)
	install -D -m 755 $(TARGET)/release/cofferdam $(DESTDIR)$(PREFIX)/bin/cofferdam
	$(TARGET)/release/cofferdam man $(SHARE)/man/man1
	mkdir -p $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(TARGET)/release/cofferdam completions bash > $(SHARE)/bash-completion/completions/cofferdam
	$(TARGET)/release/cofferdam completions zsh > $(SHARE)/zsh/site-functions/_cofferdam
	$(TARGET)/release/cofferdam completions fish > $(SHARE)/fish/vendor_completions.d/cofferdam.fish

test: setup dependencies  ## everything that is tested
	cargo fmt --all --check
	cd guests && cargo fmt --all --check
	cd fuzz && cargo fmt --check
	cargo test $(CARGO_FLAGS)
	$(MAKE) guests-test fuzz-short test-clients test-fronts test-native test-web

# Both are compared with the schema that the program prints, so that they cannot drift from it.
test-clients: build  ## the clients for Python and TypeScript, against the program
	clients/generate --check $(TARGET)/release/cofferdam
	clients/typescript/build
	PATH="$(abspath $(TARGET))/release:$$PATH" python3 -m unittest discover -s clients/python/tests
	cd clients/typescript && PATH="$(abspath $(TARGET))/release:$$PATH" node --test test/
	clients/check-packages $(TARGET)/release/cofferdam

# Each folder of tests/fronts has a script that gets the program, and installs clients of others into a cache.
test-fronts: build  ## the server with real browsers and clients of others
	cargo build $(CARGO_FLAGS) --examples
	set -e; for front in tests/fronts/*/run; do "$$front" $(TARGET)/release/cofferdam; done

# Runtimes from npm and PyPI are installed into a cache, once.
test-native: build  ## bun, node, deno, python, curl, git and a compiler behind the walls
	tests/native/run $(TARGET)/release/cofferdam

web: build  ## the package for browsers: web/dist
	cd crates/web && cargo fmt --all --check
	scripts/web

test-web: web  ## the package in Debian's Chromium and Firefox
	cargo test --release --locked --manifest-path crates/web/Cargo.toml --target-dir $(TARGET)/web -p cofferdam-late
	tests/web/run

# Not part of `test`: the browser brings a desktop's libraries, and cells over the bridge take minutes.
test-webkit: web  ## the package in Debian's WebKitGTK
	tests/web/run webkit

web-demo: web  ## serve the example console of the package
	python3 -m http.server --bind 127.0.0.1 --directory web 8000

wheel: build  ## a Python wheel of this platform with the program inside: target/wheels
	clients/python/wheel $(TARGET)/release/cofferdam $(TARGET)/wheels

npm: build  ## packages for npm: the client, and the program for this platform, in target/npm
	clients/typescript/build
	install -D -m 755 $(TARGET)/release/cofferdam clients/typescript/platforms/linux-x64/bin/cofferdam
	mkdir -p $(TARGET)/npm
	cd $(TARGET)/npm && npm pack --silent $(CURDIR)/clients/typescript $(CURDIR)/clients/typescript/platforms/linux-x64

dist: build  ## a tarball and a Debian package of the program, unpacked and run once: target/dist
	scripts/dist $(TARGET)/release/cofferdam $(TARGET)/dist

# Guests built for this machine: the shell beside what bash printed, the commands, the web surface. With
# the patched copy of QuickJS, as in the images: without it, errors have other words.
guests-test: setup  ## the guests' own tests, without cells
	cd guests && cargo test --locked $(NATIVE_GUESTS) --target-dir "$(abspath $(TARGET))/guests-native" \
		--config "paths=[\"$$(cargo run --quiet --locked -p cofferdam-guest-quickjs --target-dir "$(abspath $(TARGET))/guests-native" -- "$(abspath $(TARGET))/guests-native/quickjs")\"]"

fuzz-short:  ## every parser of hostile input on a fixed number of inputs
	cd fuzz && cargo test --locked --release --target-dir "$(abspath $(TARGET))/fuzz"

SECONDS_EACH ?= 60
fuzz:  ## libFuzzer on each of them: make fuzz SECONDS_EACH=600 FUZZ="html urls"
	@scripts/fuzz $(SECONDS_EACH) $(FUZZ)

# Advisories are asked for from github.com, which not every machine that tests can reach.
dependencies:
	@scripts/deny within-reach

deny:  ## licences, sources and advisories of every dependency
	@scripts/deny

bless: setup  ## rewrite what case files, examples and pictures expect; then read the diff
	COFFERDAM_BLESS=1 cargo test $(CARGO_FLAGS)

# Nothing of it runs, so the guests need not be built (crates/images/build/main.rs).
lint: setup  ## what clippy thinks; builds the workspace once more
	COFFERDAM_ONLY_CHECK=1 cargo clippy $(CARGO_FLAGS) --all-targets --target-dir "$(abspath $(TARGET))/clippy" -- -D warnings
	cd guests && cargo clippy --locked --workspace --all-targets --target-dir "$(abspath $(TARGET))/guests-native" -- -D warnings
	cd fuzz && cargo clippy --locked --all-targets --target-dir "$(abspath $(TARGET))/fuzz" -- -D warnings

# Nothing of it runs here either. `make package` runs the library without any feature.
features:  ## check the library with each of its features alone, and with none
	@scripts/features

package: setup  ## pack every published crate, then build and run programs that depend on them
	@scripts/package

bench: build  ## measure us and our peers, side by side
	bench/run

bench-web: web  ## the same in Debian's Chromium and Firefox
	bench/web/run

clean:  ## remove what was built here
	cargo clean
