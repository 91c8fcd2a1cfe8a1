//! QuickJS with a few lines changed.
//!
//! The source stays in the registry's `rquickjs-sys`; a copy of that package is made in the target
//! directory, with the changes below. A change whose text is not found exactly once fails the
//! build: then a new version of the package has come, and the change has to be looked at again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::{Result, Toolchain, run};

/// The package that carries QuickJS's C code.
const PACKAGE: &str = "rquickjs-sys";

/// One place to change.
#[derive(Hash)]
struct Change {
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

const CHANGES: [Change; 8] = [
    // The hash of a key of a Map or Set; the low bits choose its bucket. A number is hashed as the
    // bits of a double, and those of small integers are zero where it matters: thousands of them
    // fell into a handful of buckets. Multiplying moves every bit up, the shift back down.
    Change {
        file: "quickjs/quickjs.c",
        from: "    return h ^ ctx->hash_seed ^ hash32(tag);\n",
        to: "    h = (h ^ ctx->hash_seed ^ tag) * 0x9e3779b1u;\n    return h ^ (h >> 15);\n",
    },
    // One small arena for each size of block, side by side. Otherwise a tool that allocates a few
    // blocks of every size writes to two pages for each, and every page that a cell writes to
    // costs a copy when it is reset. Called when the image is complete.
    Change {
        file: "quickjs/quickjs.c",
        from: "static no_inline void *arena_malloc_large(JSRuntime *rt, size_t size)\n",
        to: "void js_settle_arenas(JSRuntime *rt)
{
    JSMallocBlockHeader *b;
    JSArena *ar;
    uint8_t *room;
    int i, j, block_size, n_blocks;
    size_t pages = 10 * 4096;

    room = rt->mf.js_malloc(rt->malloc_state.opaque, pages + 4096);
    if (!room)
        return;
    room = (uint8_t *)(((uintptr_t)room + 4095) & ~(uintptr_t)4095);
    for (i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; i++) {
        block_size = arena_block_sizes[i];
        n_blocks = block_size <= 128 ? (1024 - sizeof(JSArena)) / block_size : 4;
        ar = (JSArena *)room;
        ar->block_size_idx = i;
        ar->n_blocks = n_blocks;
        /* The first block is never used nor freed, so the arena is never given back. */
        ar->n_used_blocks = 1;
        ar->first_free_block = 1;
        for (j = 0; j < n_blocks; j++) {
            b = arena_get_block(ar, j, block_size);
            b->u.free_next = j + 1 < n_blocks ? j + 1 : JS_ARENA_FREE_NIL;
            b->block_size_idx = i;
        }
        list_add(&ar->link, &rt->arena_state.arena_list[i]);
        list_add(&ar->free_link, &rt->arena_state.free_arena_list[i]);
        room += sizeof(JSArena) + (size_t)n_blocks * block_size;
    }
}

static no_inline void *arena_malloc_large(JSRuntime *rt, size_t size)\n",
    },
    // A promise that is kept from the start, without the two functions that would settle it. What
    // is not kept, or has a `then` of its own, goes the long way.
    Change {
        file: "quickjs/quickjs.c",
        from: "    return js_promise_resolve(ctx, ctx->promise_ctor, 1, &value, is_reject);\n}\n",
        to: "    JSValue promise;
    JSPromiseData *s;
    if (is_reject || JS_IsObject(value)) {
        JSValue then = JS_GetProperty(ctx, value, JS_ATOM_then);
        bool is_plain = !is_reject && !JS_IsException(then) && !JS_IsFunction(ctx, then);
        if (JS_IsException(then))
            JS_FreeValue(ctx, JS_GetException(ctx));
        JS_FreeValue(ctx, then);
        if (!is_plain)
            return js_promise_resolve(ctx, ctx->promise_ctor, 1, &value, is_reject);
    }
    promise = JS_NewObjectClass(ctx, JS_CLASS_PROMISE);
    if (JS_IsException(promise))
        return promise;
    s = js_mallocz(ctx, sizeof(*s));
    if (!s) {
        JS_FreeValue(ctx, promise);
        return JS_EXCEPTION;
    }
    s->promise_state = JS_PROMISE_FULFILLED;
    init_list_head(&s->promise_reactions[0]);
    init_list_head(&s->promise_reactions[1]);
    s->promise_result = js_dup(value);
    JS_SetOpaqueInternal(promise, s);
    return promise;\n}\n",
    },
    // The texts of the preludes' functions: nobody sees them, and every cell would carry them.
    // `toString` answers `[native code]`, as in a browser.
    Change {
        file: "quickjs/quickjs.c",
        from: "typedef struct JSFunctionDef {\n",
        to: "static int js_source_len(const char *filename, ptrdiff_t len) {
    return filename && !strncmp(filename, \"cofferdam:\", 10) ? 0 : len;\n}\n
typedef struct JSFunctionDef {\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        from: "            fd->source_len = s->last_ptr - ptr;\n",
        to: "            fd->source_len = js_source_len(s->filename, s->last_ptr - ptr);\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        from: "        fd->source_len = s->buf_ptr - ptr;\n",
        to: "        fd->source_len = js_source_len(s->filename, s->buf_ptr - ptr);\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        from: "    ctor_fd->source_len = s->buf_ptr - class_start_ptr;\n",
        to: "    ctor_fd->source_len = js_source_len(s->filename, s->buf_ptr - class_start_ptr);\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        from: "    b->source_len = fd->source_len;\n",
        to: "    b->source_len = fd->source_len;
    if (!b->source_len) {
        js_free(ctx, b->source);
        b->source = NULL;
    }\n",
    },
];

/// Makes the changed copy below `target_dir` and answers where it is.
pub(crate) fn changed(toolchain: &Toolchain, target_dir: &Path) -> Result<PathBuf> {
    let original = find(toolchain)?;
    let name = original.file_name().ok_or("package at the root of the file system")?;
    if let Some(change) = CHANGES.iter().find(|c| !original.join(c.file).is_file()) {
        return Err(format!("{PACKAGE}: no file {}", change.file).into());
    }
    // The package's build script does not look whether its C code has changed: other changes are
    // another package.
    let mut hasher = DefaultHasher::new();
    CHANGES.hash(&mut hasher);
    let copy = target_dir.join(format!("changed-{:016x}", hasher.finish())).join(name);
    copy_tree(&original, &copy, Path::new(""))?;
    Ok(copy)
}

/// Where cargo has unpacked the package, in the version of the guests' lock file.
fn find(toolchain: &Toolchain) -> Result<PathBuf> {
    let mut cargo = toolchain.cargo();
    cargo.args(["metadata", "--locked", "--format-version", "1"]);
    cargo.args(["--filter-platform", "wasm32-unknown-unknown"]);
    let output = run(cargo).map_err(|log| format!("guests: cargo metadata failed\n{log}"))?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut manifests = packages
        .filter(|package| package["name"] == PACKAGE)
        .filter_map(|package| package["manifest_path"].as_str());
    let manifest = manifests.next().ok_or_else(|| format!("guests: no package {PACKAGE}"))?;
    Ok(Path::new(manifest).parent().ok_or("a manifest without directory")?.to_owned())
}

fn copy_tree(from: &Path, to: &Path, below: &Path) -> Result<()> {
    std::fs::create_dir_all(to.join(below))?;
    for entry in std::fs::read_dir(from.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(from, to, &path)?;
            continue;
        }
        let contents = change(&path, std::fs::read(entry.path())?)?;
        // A file that is as it should be is left alone, so that cargo sees nothing new.
        let target = to.join(&path);
        if std::fs::read(&target).is_ok_and(|there| there == contents) {
            continue;
        }
        std::fs::write(&target, contents).map_err(|e| format!("{}: {e}", target.display()))?;
    }
    Ok(())
}

/// The contents of a file with its changes made.
fn change(path: &Path, contents: Vec<u8>) -> Result<Vec<u8>> {
    let changes: Vec<_> = CHANGES.iter().filter(|c| Path::new(c.file) == path).collect();
    if changes.is_empty() {
        return Ok(contents);
    }
    let mut text = String::from_utf8(contents)?;
    for change in changes {
        let found = text.matches(change.from).count();
        if found != 1 {
            return Err(format!(
                "{PACKAGE}: {}: found {found} times, not once: {:?}\n\
                 hint: the package has changed; see crates/images/build/quickjs.rs",
                change.file,
                change.from.trim(),
            )
            .into());
        }
        text = text.replacen(change.from, change.to, 1);
    }
    Ok(text.into_bytes())
}
