# The one list of commands. `make` alone prints it.
.PHONY: help setup build demo install test bless lint bench clean

# A clean checkout in CI keeps what it built beside it, so that the next one starts warm.
ifdef CI
export CARGO_TARGET_DIR ?= $(HOME)/.cache/cofferdam/target
endif
TARGET := $(or $(CARGO_TARGET_DIR),target)

# Always the whole workspace: selecting single crates changes which features wasmtime is built
# with, and building it again takes minutes.
CARGO_FLAGS := --release --workspace --locked

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

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

test: setup  ## everything that is tested
	cargo fmt --all --check
	cargo test $(CARGO_FLAGS)
	cd guests && cargo test --locked -p cofferdam-guest-js --target-dir "$(abspath $(TARGET))/guests-native"

bless: setup  ## rewrite what case files, examples and pictures expect; then read the diff
	COFFERDAM_BLESS=1 cargo test $(CARGO_FLAGS)

lint: setup  ## what clippy thinks; builds the workspace once more
	cargo clippy $(CARGO_FLAGS) --all-targets -- -D warnings

bench: build  ## measure us and our peers, side by side
	bench/run

clean:  ## remove what was built here
	cargo clean
