//! Changes for speed, for the size of the image, and for deep recursion.

use super::package::Change;

/// Gives a function unused room on the stack; see `JS_ROOM` below.
macro_rules! room {
    ($size:literal, $head:literal) => {
        Change {
            file: "quickjs/quickjs.c",
            times: 1,
            from: concat!($head, "\n{\n"),
            to: concat!($head, "\n{\n    JS_ROOM(", $size, ");\n"),
        }
    };
}

pub(crate) const CHANGES: &[Change] = &[
    // Hash of a `Map` or `Set` key; the low bits choose the bucket. A number is hashed as the bits
    // of a double, whose low bits are zero for small integers, so thousands of keys shared a
    // handful of buckets. The multiplication mixes every bit upwards, the shift mixes the high bits
    // down.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "    return h ^ ctx->hash_seed ^ hash32(tag);\n",
        to: "    h = (h ^ ctx->hash_seed ^ tag) * 0x9e3779b1u;\n    return h ^ (h >> 15);\n",
    },
    // Objects in the image are never freed, so they need no reference counts. Counting them would
    // dirty many pages of each cell for a single number, and the collector would dirty all of them.
    // `guard_counts` replaces every change of a count by these two functions.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "#define JS_GC_TYPE(p)   (js_rc(p)->gc_obj_type)\n",
        to: "#define JS_GC_TYPE(p)   (js_rc(p)->gc_obj_type)
#define JS_IMMORTAL (1 << 30)

static inline void js_count_up(const void *p)
{
    int count = JS_REF_COUNT(p);
    if (likely(count < JS_IMMORTAL))
        JS_REF_COUNT(p) = count + 1;
}

static inline int js_count_down(const void *p)
{
    int count = JS_REF_COUNT(p);
    if (likely(count < JS_IMMORTAL))
        JS_REF_COUNT(p) = --count;
    return count;
}
",
    },
    // Makes everything immortal once the image is complete, so that the collector skips it. Objects
    // that the image refers to later count as referenced from outside.
    //
    // Then places one small arena for each block size side by side. Otherwise a tool that allocates
    // a few blocks of every size would dirty two pages for each size, and every dirty page costs a
    // copy when the cell is reset.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static no_inline void *arena_malloc_large(JSRuntime *rt, size_t size)\n",
        to: "static struct list_head js_immortals;
static inline bool atom_is_free(const JSAtomStruct *p);

static void js_make_immortal(JSRuntime *rt)
{
    struct list_head *el;
    JSMallocBlockHeader *b;
    JSArena *ar;
    int i, j;

    for (i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; i++) {
        list_for_each(el, &rt->arena_state.arena_list[i]) {
            ar = list_entry(el, JSArena, link);
            for (j = 0; j < ar->n_blocks; j++) {
                b = arena_get_block(ar, j, arena_block_sizes[i]);
                b->ref_count = JS_IMMORTAL;
            }
        }
    }
    /* What is too large for an arena. */
    list_for_each(el, &rt->gc_obj_list)
        JS_REF_COUNT(list_entry(el, JSGCObjectHeader, link)) = JS_IMMORTAL;
    for (i = 0; i < rt->atom_size; i++) {
        if (!atom_is_free(rt->atom_array[i]))
            JS_REF_COUNT(rt->atom_array[i]) = JS_IMMORTAL;
    }
    list_add(&js_immortals, &rt->gc_obj_list);
    list_del(&rt->gc_obj_list);
    init_list_head(&rt->gc_obj_list);
}

void js_settle_image(JSRuntime *rt)
{
    JSMallocBlockHeader *b;
    JSArena *ar;
    uint8_t *room;
    int i, j, block_size, n_blocks;
    size_t pages = 10 * 4096;

    js_make_immortal(rt);
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
    // Creates an already fulfilled promise without the two functions that would resolve it. A
    // rejection, or a value with its own `then`, takes the general path.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "    return js_promise_resolve(ctx, ctx->promise_ctor, 1, &value, is_reject);\n}\n",
        to: "    if (is_reject || JS_IsObject(value)) {
        JSValue then = JS_GetProperty(ctx, value, JS_ATOM_then);
        bool is_plain = !is_reject && !JS_IsException(then) && !JS_IsFunction(ctx, then);
        if (JS_IsException(then))
            JS_FreeValue(ctx, JS_GetException(ctx));
        JS_FreeValue(ctx, then);
        if (!is_plain)
            return js_promise_resolve(ctx, ctx->promise_ctor, 1, &value, is_reject);
    }
    return js_promise_bare(ctx, JS_PROMISE_FULFILLED, value);\n}\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "JSValue JS_NewSettledPromise(JSContext *ctx, bool is_reject, JSValueConst value)\n",
        to: "JSValue js_promise_bare(JSContext *ctx, int state, JSValueConst result)
{
    JSValue promise = JS_NewObjectClass(ctx, JS_CLASS_PROMISE);
    JSPromiseData *s;

    if (JS_IsException(promise))
        return promise;
    s = js_mallocz(ctx, sizeof(*s));
    if (!s) {
        JS_FreeValue(ctx, promise);
        return JS_EXCEPTION;
    }
    s->promise_state = state;
    init_list_head(&s->promise_reactions[0]);
    init_list_head(&s->promise_reactions[1]);
    s->promise_result = js_dup(result);
    JS_SetOpaqueInternal(promise, s);
    return promise;
}

JSValue JS_NewSettledPromise(JSContext *ctx, bool is_reject, JSValueConst value)\n",
    },
    // `Promise.resolve` and `await` of a value that is not an object: nothing has to be called, and
    // no other code can settle the promise.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "    result_promise = js_new_promise_capability(ctx, resolving_funcs, this_val);
    if (JS_IsException(result_promise))
        return result_promise;
    ret = JS_Call(ctx, resolving_funcs[is_reject], JS_UNDEFINED, 1, argv);\n",
        to: "    if (!is_reject && !JS_IsObject(argv[0])
    &&  js_same_value(ctx, this_val, ctx->promise_ctor))
        return js_promise_bare(ctx, JS_PROMISE_FULFILLED, argv[0]);
    result_promise = js_new_promise_capability(ctx, resolving_funcs, this_val);
    if (JS_IsException(result_promise))
        return result_promise;
    ret = JS_Call(ctx, resolving_funcs[is_reject], JS_UNDEFINED, 1, argv);\n",
    },
    // The promise of an async function is settled by that function alone, so the two resolving
    // functions, with two properties each, are not created.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "    promise = JS_NewPromiseCapability(ctx, s->resolving_funcs);
    if (JS_IsException(promise))
        goto fail;

    if (async_func_init(ctx, &s->func_state, func_obj, this_obj, argc, argv)) {\n",
        to: "    promise = js_promise_bare(ctx, JS_PROMISE_PENDING, JS_UNDEFINED);
    if (JS_IsException(promise))
        goto fail;
    s->resolving_funcs[0] = js_dup(promise);

    if (async_func_init(ctx, &s->func_state, func_obj, this_obj, argc, argv)) {\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "            JSValue error = JS_GetException(ctx);
            ret2 = JS_Call(ctx, s->resolving_funcs[1], JS_UNDEFINED,
                           1, vc(&error));
            JS_FreeValue(ctx, error);
        resolved:
            if (unlikely(JS_IsException(ret2))) {
                if (JS_IsUncatchableError(ctx->rt->current_exception)) {
                    is_success = false;
                } else {
                    abort(); /* BUG */
                }
            }
            JS_FreeValue(ctx, ret2);
        }\n",
        to: "            JSValue error = JS_GetException(ctx);
            js_promise_settle(ctx, s->resolving_funcs[0], error, true);
            JS_FreeValue(ctx, error);
        resolved: ;
        }\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "            /* function returned */
            ret2 = JS_Call(ctx, s->resolving_funcs[0], JS_UNDEFINED,
                           1, vc(&value));
            JS_FreeValue(ctx, value);
            goto resolved;\n",
        to: "            /* function returned */
            js_promise_settle(ctx, s->resolving_funcs[0], value, false);
            JS_FreeValue(ctx, value);
            goto resolved;\n",
    },
    // Awaiting an already fulfilled promise: the function continues in a job, as the specification
    // demands, but no reaction is registered at the promise.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "            if (js_async_function_resolve_create(ctx, s, resolving_funcs)) {
                JS_FreeValue(ctx, promise);
                goto fail;
            }\n",
        to: "            res = js_await_kept(ctx, s, promise);
            if (res <= 0) {
                JS_FreeValue(ctx, promise);
                if (res)
                    goto fail;
                return is_success;
            }
            if (js_async_function_resolve_create(ctx, s, resolving_funcs)) {
                JS_FreeValue(ctx, promise);
                goto fail;
            }\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static bool js_async_function_resume(JSContext *ctx, JSAsyncFunctionData *s)\n{\n",
        to: "JSValue js_promise_bare(JSContext *ctx, int state, JSValueConst result);
void js_promise_settle(JSContext *ctx, JSValueConst promise,
                       JSValueConst value, bool is_reject);
static int js_await_kept(JSContext *ctx, JSAsyncFunctionData *s, JSValueConst promise);

static bool js_async_function_resume(JSContext *ctx, JSAsyncFunctionData *s)\n{\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static void js_promise_resolve_function_finalizer(JSRuntime *rt,\n",
        to: "/* Settles a promise as its two functions would. */
void js_promise_settle(JSContext *ctx, JSValueConst promise,
                       JSValueConst value, bool is_reject)
{
    JSValue then = JS_UNDEFINED;

    if (!is_reject && JS_IsObject(value)) {
        if (js_same_value(ctx, value, promise))
            then = JS_ThrowTypeError(ctx, \"promise self resolution\");
        else
            then = JS_GetProperty(ctx, value, JS_ATOM_then);
    }
    if (JS_IsException(then)) {
        JSValue error = JS_GetException(ctx);
        fulfill_or_reject_promise(ctx, promise, error, true);
        JS_FreeValue(ctx, error);
    } else if (JS_IsFunction(ctx, then)) {
        JSValueConst args[3] = { promise, value, then };
        JS_EnqueueJob(ctx, js_promise_resolve_thenable_job, 3, args);
        JS_FreeValue(ctx, then);
    } else {
        JS_FreeValue(ctx, then);
        fulfill_or_reject_promise(ctx, promise, value, is_reject);
    }
}

static JSValue js_await_kept_job(JSContext *ctx, int argc, JSValueConst *argv)
{
    return js_async_function_resolve_call(ctx, argv[0], JS_UNDEFINED, 1, argv + 1, 0);
}

/* 0 if the function goes on in a job, 1 if the promise is not kept yet. */
static int js_await_kept(JSContext *ctx, JSAsyncFunctionData *s, JSValueConst promise)
{
    JSPromiseData *data = JS_GetOpaque(promise, JS_CLASS_PROMISE);
    JSValueConst args[2];
    JSValue resume;
    int ret;

    if (!data || data->promise_state != JS_PROMISE_FULFILLED)
        return 1;
    resume = JS_NewObjectProtoClass(ctx, ctx->function_proto,
                                    JS_CLASS_ASYNC_FUNCTION_RESOLVE);
    if (JS_IsException(resume))
        return -1;
    JS_REF_COUNT(s)++;
    JS_VALUE_GET_OBJ(resume)->u.async_function_data = s;
    args[0] = resume;
    args[1] = data->promise_result;
    ret = JS_EnqueueJob(ctx, js_await_kept_job, 2, args);
    JS_FreeValue(ctx, resume);
    data->is_handled = true;
    return ret;
}

static void js_promise_resolve_function_finalizer(JSRuntime *rt,\n",
    },
    // QuickJS looks at the stack in the guest's memory, and some functions hardly use that one: they
    // run into the end of the native stack first, which ends the run instead of throwing. Unused
    // room makes both grow alike.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static inline bool js_check_stack_overflow(JSRuntime *rt, size_t alloca_size)\n",
        to: "#define JS_ROOM(size) uint8_t js_room[size]; __asm__ volatile(\"\" : : \"r\"(js_room) : \"memory\")\n\nstatic inline bool js_check_stack_overflow(JSRuntime *rt, size_t alloca_size)\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static JSValue json_parse_value(JSParseState *s, JSONParseRecord *pr)\n{\n",
        to: "static JSValue json_parse_value(JSParseState *s, JSONParseRecord *pr)\n{\n    JS_ROOM(64);\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "                                         const char *text_str, JSONParseRecord *pr)\n{\n    JSValue val, new_el,",
        to: "                                         const char *text_str, JSONParseRecord *pr)\n{\n    JS_ROOM(256);\n    JSValue val, new_el,",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static int js_json_to_str(JSContext *ctx, JSONStringifyContext *jsc,\n                          JSValueConst holder, JSValue val,\n                          JSValueConst indent)\n{\n",
        to: "static int js_json_to_str(JSContext *ctx, JSONStringifyContext *jsc,\n                          JSValueConst holder, JSValue val,\n                          JSValueConst indent)\n{\n    JS_ROOM(96);\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static __exception int js_parse_unary(JSParseState *s, int parse_flags)\n{\n",
        to: "static __exception int js_parse_unary(JSParseState *s, int parse_flags)\n{\n    JS_ROOM(640);\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static __exception int js_parse_statement_or_decl(JSParseState *s,\n                                                  int decl_mask)\n{\n",
        to: "static __exception int js_parse_statement_or_decl(JSParseState *s,\n                                                  int decl_mask)\n{\n    JS_ROOM(256);\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "                                          bool export_flag)\n{\n    int label_parse,",
        to: "                                          bool export_flag)\n{\n    JS_ROOM(256);\n    int label_parse,",
    },
    room!("128", "static __exception int js_parse_cond_expr(JSParseState *s, int parse_flags)"),
    room!("128", "static __exception int js_parse_assign_expr2(JSParseState *s, int parse_flags)"),
    room!(
        "192",
        "                                   JSValueConst mapperFunction,\n                                   JSValueConst thisArg)"
    ),
    room!("128", "static JSValue js_proxy_getPrototypeOf(JSContext *ctx, JSValueConst obj)"),
    room!("128", "static int js_proxy_isExtensible(JSContext *ctx, JSValueConst obj)"),
    room!("128", "static int js_proxy_preventExtensions(JSContext *ctx, JSValueConst obj)"),
    room!("128", "static int js_proxy_has(JSContext *ctx, JSValueConst obj, JSAtom atom)"),
    room!(
        "128",
        "static int js_proxy_delete_property(JSContext *ctx, JSValueConst obj,\n                                    JSAtom atom)"
    ),
    // Drops source text and positions of the preludes' functions, which every cell would otherwise
    // carry. `toString` returns `[native code]`, as in a browser; stack traces for people leave these
    // functions out. The top level of a tool has no source text either, but positions.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "typedef struct JSFunctionDef {\n",
        to: "static int js_source_len(const char *filename, ptrdiff_t len) {
    return filename && !strncmp(filename, \"cofferdam:\", 10) ? 0 : len;\n}\n
typedef struct JSFunctionDef {\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "            fd->source_len = s->last_ptr - ptr;\n",
        to: "            fd->source_len = js_source_len(s->filename, s->last_ptr - ptr);\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "        fd->source_len = s->buf_ptr - ptr;\n",
        to: "        fd->source_len = js_source_len(s->filename, s->buf_ptr - ptr);\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "    ctor_fd->source_len = s->buf_ptr - class_start_ptr;\n",
        to: "    ctor_fd->source_len = js_source_len(s->filename, s->buf_ptr - class_start_ptr);\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "    b->source_len = fd->source_len;\n",
        to: "    b->source_len = fd->source_len;
    if (!b->source_len) {
        const char *name = JS_AtomToCString(ctx, fd->filename);
        js_free(ctx, b->source);
        b->source = NULL;
        if (name && !strncmp(name, \"cofferdam:\", 10)) {
            js_free(ctx, b->pc2line_buf);
            b->pc2line_buf = NULL;
            b->pc2line_len = 0;
        }
        JS_FreeCString(ctx, name);
    }\n",
    },
    // The context of `AsyncLocalStorage`: a value that callbacks of promises run with again. Nothing
    // is kept before a script sets a context; then each callback is wrapped. The preludes take the
    // function off `Promise`.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static __exception int perform_promise_then(JSContext *ctx,
                                            JSValueConst promise,
                                            JSValueConst *resolve_reject,
                                            JSValueConst *cap_resolving_funcs)
{\n",
        to: "static JSValue js_context_call(JSContext *ctx, JSValueConst this_val,
                               int argc, JSValueConst *argv, int magic, JSValueConst *data)
{
    JSValue outer = js_context, ret;

    js_context = js_dup(data[1]);
    ret = JS_Call(ctx, data[0], this_val, argc, argv);
    JS_FreeValue(ctx, js_context);
    js_context = outer;
    return ret;
}

/* Returns the context, or sets another and returns the one before. */
static JSValue js_promise_context(JSContext *ctx, JSValueConst this_val,
                                  int argc, JSValueConst *argv)
{
    JSValue outer;

    if (!js_context_on) {
        if (argc == 0)
            return JS_UNDEFINED;
        js_context_on = true;
        js_context = JS_UNDEFINED;
    }
    if (argc == 0)
        return js_dup(js_context);
    outer = js_context;
    js_context = js_dup(argv[0]);
    return outer;
}

static __exception int perform_promise_then(JSContext *ctx,
                                            JSValueConst promise,
                                            JSValueConst *resolve_reject,
                                            JSValueConst *cap_resolving_funcs)
{\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "        rd->handler = js_dup(handler);
        rd_array[i] = rd;\n",
        to: "        if (unlikely(js_context_on) && !JS_IsUndefined(handler)) {
            JSValueConst data[2] = { handler, js_context };
            rd->handler = JS_NewCFunctionData(ctx, js_context_call, 1, 0, 2, data);
            if (JS_IsException(rd->handler))
                rd->handler = js_dup(handler);
        } else {
            rd->handler = js_dup(handler);
        }
        rd_array[i] = rd;\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "    if (!data || data->promise_state != JS_PROMISE_FULFILLED)
        return 1;\n",
        to: "    if (!data || data->promise_state != JS_PROMISE_FULFILLED || unlikely(js_context_on))
        return 1;\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static inline bool js_check_stack_overflow(JSRuntime *rt, size_t alloca_size)\n",
        to: "/* Thread-local for native tests, which run several engines at a time. */
static _Thread_local bool js_context_on;
static _Thread_local JSValue js_context;

static inline bool js_check_stack_overflow(JSRuntime *rt, size_t alloca_size)\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static const JSCFunctionListEntry js_promise_funcs[] = {\n",
        to: "static const JSCFunctionListEntry js_promise_funcs[] = {
    JS_CFUNC_DEF(\"cofferdamContext\", 0, js_promise_context ),\n",
    },
];
