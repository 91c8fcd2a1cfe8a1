/* Messages of errors in the words of V8, which scripts print and match.
 *
 * Everything here runs after something has failed: no instruction that succeeds calls it. Functions
 * that throw are never inlined, and the engine calls them without variable arguments where it
 * recurses: both would enlarge the frames of functions that succeed.
 *
 * - js_throw_words: an error from a format with values and property names
 * - js_words_at: the expression that an operand of a failed instruction was computed by, read off
 *   the bytecode before it
 * - js_throw_not_...: the errors that name such an expression
 * - js_frame_name: the name of a function in a stack trace
 * - json_...: errors of JSON.parse and JSON.stringify */

#define JS_WORDS_NODES 256
#define JS_WORDS_STACK 64
#define JS_WORDS_JUMPS 16
#define JS_WORDS_DEPTH 32
#define JS_WORDS_TEXT 4096

enum {
    WORD_UNKNOWN,
    WORD_NAME, /* arg: atom */
    WORD_STRING, /* arg: atom */
    WORD_INT, /* arg: value */
    WORD_CONST, /* arg: index of the constant */
    WORD_UNDEFINED,
    WORD_NULL,
    WORD_FALSE,
    WORD_TRUE,
    WORD_EMPTY,
    WORD_FIELD, /* a: object, arg: atom */
    WORD_ELEMENT, /* a: object, b: key */
    WORD_CALL, /* a: function */
    WORD_ARRAY, /* a: first element */
    WORD_OBJECT, /* arg: number of properties */
    WORD_BINARY, /* a, b: operands, arg: instruction */
    WORD_UNARY, /* a: operand, arg: instruction */
    WORD_LOGIC, /* a, b: operands, arg: the first character of the operator */
    WORD_CHOICE,
    WORD_IS_NULLISH, /* a: operand */
    WORD_OPTIONAL, /* a: operand */
    WORD_LOOP, /* variable of a for-of loop */
    WORD_PATTERN, /* a: value that is taken apart */
    WORD_PARAMETER, /* parameter without a name */
    WORD_AWAIT,
    WORD_SUPER,
};

typedef struct JSWord {
    uint8_t kind;
    uint32_t arg;
    uint16_t a, b;
    uint16_t next; /* next element of an array */
} JSWord;

typedef struct JSWordJump {
    uint32_t target; /* 0 if unused */
    uint8_t operator; /* '|', '&' or '?'; 'c' ends an optional chain; 0 for others */
    int depth;
    uint16_t stack[JS_WORDS_STACK];
} JSWordJump;

typedef struct JSWords {
    JSFunctionBytecode *b;
    int count, depth;
    uint32_t pos; /* of the failed instruction */
    JSWord nodes[JS_WORDS_NODES];
    uint16_t stack[JS_WORDS_STACK];
    JSWordJump jumps[JS_WORDS_JUMPS];
} JSWords;

/* == Text of values == */

static void js_put_atom(JSContext *ctx, DynBuf *d, JSAtom atom)
{
    char buf[ATOM_GET_STR_BUF_SIZE];
    const char *str;
    JSValue val;

    if (atom == JS_ATOM_NULL)
        return;
    if (__JS_AtomIsTaggedInt(atom)) {
        dbuf_printf(d, "%u", __JS_AtomToUInt32(atom));
        return;
    }
    switch (JS_AtomGetKind(ctx, atom)) {
    case JS_ATOM_KIND_STRING:
        val = JS_AtomToString(ctx, atom);
        str = JS_ToCString(ctx, val);
        if (str)
            dbuf_putstr(d, str);
        JS_FreeCString(ctx, str);
        JS_FreeValue(ctx, val);
        break;
    case JS_ATOM_KIND_SYMBOL:
        dbuf_printf(d, "Symbol(%s)", JS_AtomGetStr(ctx, buf, sizeof(buf), atom));
        break;
    default:
        dbuf_putstr(d, JS_AtomGetStr(ctx, buf, sizeof(buf), atom));
        break;
    }
}

/* Returns the holder of a property, without calling getters or traps. */
static JSObject *js_find_quietly(JSObject *p, JSAtom atom, JSProperty **ppr, int *pflags)
{
    JSShapeProperty *prs;
    int i;

    for (i = 0; p && i < 1000; i++, p = p->shape->proto) {
        if (p->class_id == JS_CLASS_PROXY)
            return NULL;
        prs = find_own_property(ppr, p, atom);
        if (prs) {
            *pflags = prs->flags;
            return p;
        }
    }
    return NULL;
}

/* Returns the name of the constructor, or NULL. */
static const char *js_constructor_name(JSContext *ctx, JSObject *p)
{
    JSProperty *pr;
    const char *name;
    int flags;

    if (!js_find_quietly(p, JS_ATOM_constructor, &pr, &flags))
        return NULL;
    if ((flags & JS_PROP_TMASK) != JS_PROP_NORMAL || !JS_IsFunction(ctx, pr->u.value))
        return NULL;
    name = get_func_name(ctx, pr->u.value);
    if (name && *name == '\0') {
        JS_FreeCString(ctx, name);
        return NULL;
    }
    return name;
}

static void js_put_object(JSContext *ctx, DynBuf *d, JSValueConst val)
{
    JSObject *p = JS_VALUE_GET_OBJ(val), *holder;
    JSFunctionBytecode *b;
    JSProperty *pr;
    const char *str;
    int flags;

    if (JS_IsFunction(ctx, val)) {
        b = JS_GetFunctionBytecode(val);
        if (b && b->source && b->source_len > 0) {
            dbuf_put(d, (const uint8_t *)b->source, b->source_len);
            return;
        }
        str = get_func_name(ctx, val);
        dbuf_printf(d, "function %s() { [native code] }", str ? str : "");
        JS_FreeCString(ctx, str);
        return;
    }
    if (p->class_id == JS_CLASS_PROXY) {
        dbuf_putstr(d, "#<Object>");
        return;
    }
    holder = js_find_quietly(p, JS_ATOM_toString, &pr, &flags);
    if (holder == JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_OBJECT])) {
        str = js_constructor_name(ctx, p);
        if (str) {
            dbuf_printf(d, "#<%s>", str);
            JS_FreeCString(ctx, str);
            return;
        }
    } else if (p->class_id == JS_CLASS_ERROR) {
        str = js_constructor_name(ctx, p);
        dbuf_putstr(d, str ? str : "Error");
        JS_FreeCString(ctx, str);
        if (js_find_quietly(p, JS_ATOM_message, &pr, &flags)
        &&  (flags & JS_PROP_TMASK) == JS_PROP_NORMAL
        &&  JS_IsString(pr->u.value)) {
            str = JS_ToCString(ctx, pr->u.value);
            if (str && *str)
                dbuf_printf(d, ": %s", str);
            JS_FreeCString(ctx, str);
        }
        return;
    }
    if (js_find_quietly(p, JS_ATOM_Symbol_toStringTag, &pr, &flags)
    &&  (flags & JS_PROP_TMASK) == JS_PROP_NORMAL
    &&  JS_IsString(pr->u.value)) {
        str = JS_ToCString(ctx, pr->u.value);
        dbuf_printf(d, "[object %s]", str ? str : "");
        JS_FreeCString(ctx, str);
        return;
    }
    switch (p->class_id) {
    case JS_CLASS_ARRAY:
    case JS_CLASS_ERROR:
    case JS_CLASS_BOOLEAN:
    case JS_CLASS_NUMBER:
    case JS_CLASS_STRING:
    case JS_CLASS_DATE:
    case JS_CLASS_REGEXP:
    case JS_CLASS_ARGUMENTS:
        dbuf_putstr(d, "[object ");
        js_put_atom(ctx, d, ctx->rt->class_array[p->class_id].class_name);
        dbuf_putc(d, ']');
        break;
    default:
        dbuf_putstr(d, "[object Object]");
        break;
    }
}

/* Puts a value as messages show it, without calling code of the script. */
static void js_put_value(JSContext *ctx, DynBuf *d, JSValueConst val)
{
    const char *str;

    if (JS_IsObject(val)) {
        js_put_object(ctx, d, val);
    } else if (JS_IsSymbol(val)) {
        JSAtom atom = js_symbol_to_atom(ctx, val);
        js_put_atom(ctx, d, atom);
    } else {
        str = JS_ToCString(ctx, val);
        if (str)
            dbuf_putstr(d, str);
        JS_FreeCString(ctx, str);
    }
}

/* Puts the type of a value, and the value if it is short. */
static void js_put_kind(JSContext *ctx, DynBuf *d, JSValueConst val)
{
    switch (JS_VALUE_GET_NORM_TAG(val)) {
    case JS_TAG_UNDEFINED:
        dbuf_putstr(d, "undefined");
        break;
    case JS_TAG_NULL:
        dbuf_putstr(d, "object null");
        break;
    case JS_TAG_BOOL:
        dbuf_putstr(d, "boolean ");
        js_put_value(ctx, d, val);
        break;
    case JS_TAG_INT:
    case JS_TAG_FLOAT64:
        dbuf_putstr(d, "number ");
        js_put_value(ctx, d, val);
        break;
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE:
        dbuf_putstr(d, "string \"");
        js_put_value(ctx, d, val);
        dbuf_putc(d, '"');
        break;
    case JS_TAG_SYMBOL:
        dbuf_putstr(d, "symbol");
        break;
    case JS_TAG_BIG_INT:
    case JS_TAG_SHORT_BIG_INT:
        dbuf_putstr(d, "bigint");
        break;
    default:
        dbuf_putstr(d, JS_IsFunction(ctx, val) ? "function" : "object");
        break;
    }
}

/* == Throwing == */

/* Throws an error with the text, and frees the text. */
static no_inline JSValue js_throw_text(JSContext *ctx, JSErrorEnum kind, DynBuf *d)
{
    JSRuntime *rt = ctx->rt;
    JSStackFrame *sf = rt->current_stack_frame;
    JSValue error;
    bool add_backtrace;

    dbuf_putc(d, '\0');
    add_backtrace = !rt->in_out_of_memory &&
        (!sf || JS_GetFunctionBytecode(sf->cur_func) == NULL);
    error = JS_MakeError2(ctx, kind, add_backtrace,
                          dbuf_error(d) ? "Error" : (const char *)d->buf);
    dbuf_free(d);
    return JS_Throw(ctx, JS_IsException(error) ? JS_NULL : error);
}

/* Formats: %v a value, %k its type and value, %a an atom, %s text, %d a number, %% itself. */
static no_inline JSValue js_throw_words(JSContext *ctx, JSErrorEnum kind, const char *fmt, ...)
{
    DynBuf d;
    va_list ap;

    js_dbuf_init(ctx, &d);
    va_start(ap, fmt);
    for (; *fmt; fmt++) {
        if (*fmt != '%') {
            dbuf_putc(&d, *fmt);
            continue;
        }
        switch (*++fmt) {
        case 'v': js_put_value(ctx, &d, va_arg(ap, JSValueConst)); break;
        case 'k': js_put_kind(ctx, &d, va_arg(ap, JSValueConst)); break;
        case 'a': js_put_atom(ctx, &d, va_arg(ap, JSAtom)); break;
        case 's': dbuf_putstr(&d, va_arg(ap, const char *)); break;
        case 'd': dbuf_printf(&d, "%d", va_arg(ap, int)); break;
        default: dbuf_putc(&d, *fmt); break;
        }
    }
    va_end(ap);
    return js_throw_text(ctx, kind, &d);
}

/* The same without variable arguments, whose room would be part of every frame of the interpreter's
 * loop. */
static no_inline JSValue js_throw_atom(JSContext *ctx, JSErrorEnum kind, const char *fmt, JSAtom atom)
{
    return js_throw_words(ctx, kind, fmt, atom);
}

static no_inline JSValue js_throw_atom_of(JSContext *ctx, const char *fmt, JSAtom atom, JSValueConst obj)
{
    return js_throw_words(ctx, JS_TYPE_ERROR, fmt, atom, obj);
}

static no_inline JSValue js_throw_value(JSContext *ctx, const char *fmt, JSValueConst val)
{
    return js_throw_words(ctx, JS_TYPE_ERROR, fmt, val);
}

static no_inline JSValue js_throw_values(JSContext *ctx, const char *fmt, JSValueConst a, JSValueConst b)
{
    return js_throw_words(ctx, JS_TYPE_ERROR, fmt, a, b);
}

static bool js_is_throwing(JSContext *ctx, int flags)
{
    return (flags & JS_PROP_THROW) ||
        ((flags & JS_PROP_THROW_STRICT) && is_strict_mode(ctx));
}

static no_inline JSValue js_throw_read(JSContext *ctx, JSValueConst obj, JSAtom prop)
{
    if (prop == JS_ATOM_Symbol_iterator)
        return js_throw_words(ctx, JS_TYPE_ERROR, "%k is not iterable (cannot read property Symbol(Symbol.iterator))", obj);
    return js_throw_words(ctx, JS_TYPE_ERROR, "Cannot read properties of %v (reading '%a')", obj, prop);
}

static no_inline int js_throw_read_only(JSContext *ctx, int flags, JSValueConst obj, JSAtom prop)
{
    if (!js_is_throwing(ctx, flags))
        return false;
    if (JS_IsString(obj))
        js_throw_words(ctx, JS_TYPE_ERROR, "Cannot assign to read only property '%a' of string '%v'", prop, obj);
    else if (JS_IsFunction(ctx, obj))
        js_throw_words(ctx, JS_TYPE_ERROR, "Cannot assign to read only property '%a' of function '%v'", prop, obj);
    else
        js_throw_words(ctx, JS_TYPE_ERROR, "Cannot assign to read only property '%a' of object '%v'", prop, obj);
    return -1;
}

static no_inline int js_throw_not_extensible(JSContext *ctx, int flags, JSAtom prop)
{
    if (!js_is_throwing(ctx, flags))
        return false;
    if (flags & JS_PROP_DEFINE_PROPERTY)
        js_throw_words(ctx, JS_TYPE_ERROR, "Cannot define property %a, object is not extensible", prop);
    else
        js_throw_words(ctx, JS_TYPE_ERROR, "Cannot add property %a, object is not extensible", prop);
    return -1;
}

static no_inline int js_throw_on_primitive(JSContext *ctx, int flags, JSValueConst val, JSAtom prop)
{
    const char *type;

    if (!js_is_throwing(ctx, flags))
        return false;
    if (JS_IsString(val) && __JS_AtomIsTaggedInt(prop))
        return js_throw_read_only(ctx, flags, val, prop);
    switch (JS_VALUE_GET_NORM_TAG(val)) {
    case JS_TAG_BOOL: type = "boolean"; break;
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE: type = "string"; break;
    case JS_TAG_SYMBOL: type = "symbol"; break;
    case JS_TAG_BIG_INT:
    case JS_TAG_SHORT_BIG_INT: type = "bigint"; break;
    default: type = "number"; break;
    }
    js_throw_words(ctx, JS_TYPE_ERROR, "Cannot create property '%a' on %s '%v'", prop, type, val);
    return -1;
}

static no_inline JSValue js_throw_set(JSContext *ctx, JSValueConst obj, JSAtom prop)
{
    return js_throw_words(ctx, JS_TYPE_ERROR, "Cannot set properties of %v (setting '%a')", obj, prop);
}

static no_inline void js_throw_key(JSContext *ctx, JSValueConst obj, JSValueConst key)
{
    js_throw_words(ctx, JS_TYPE_ERROR, "Cannot read properties of %v (reading '%v')", obj, key);
}

static no_inline void js_throw_no_setter(JSContext *ctx, JSValueConst obj, JSAtom prop)
{
    js_throw_words(ctx, JS_TYPE_ERROR, "Cannot set property %a of %v which has only a getter", prop, obj);
}

static no_inline void js_throw_private_method(JSContext *ctx, JSAtom prop)
{
    js_throw_words(ctx, JS_TYPE_ERROR, "Private method '%a' is not writable", prop);
}

static no_inline void js_throw_uncallable(JSContext *ctx, JSValueConst val)
{
    js_throw_words(ctx, JS_TYPE_ERROR, "%v is not a function", val);
}

static no_inline void js_throw_iterator_result(JSContext *ctx, JSValueConst val)
{
    js_throw_words(ctx, JS_TYPE_ERROR, "Iterator result %v is not an object", val);
}

/* A class that is called without `new`. */
static no_inline void js_throw_class_call(JSContext *ctx, JSValueConst func)
{
    const char *name = get_func_name(ctx, func);

    js_throw_words(ctx, JS_TYPE_ERROR, "Class constructor %s cannot be invoked without 'new'", name ? name : "");
    JS_FreeCString(ctx, name);
}

/* A built-in constructor that is called without `new`. */
static no_inline JSValue js_throw_needs_new(JSContext *ctx, JSValueConst func)
{
    const char *name = get_func_name(ctx, func);

    if (name && !strcmp(name, "Promise"))
        JS_ThrowTypeError(ctx, "Promise constructor cannot be invoked without 'new'");
    else
        js_throw_words(ctx, JS_TYPE_ERROR, "Constructor %s requires 'new'", name ? name : "");
    JS_FreeCString(ctx, name);
    return JS_EXCEPTION;
}

/* A private method of another class. */
static no_inline void js_throw_brand(JSContext *ctx, JSValueConst func)
{
    JSObject *home = JS_VALUE_GET_OBJ(func)->u.func.home_object;
    const char *name = home ? js_constructor_name(ctx, home) : NULL;

    if (name)
        js_throw_words(ctx, JS_TYPE_ERROR, "Receiver must be an instance of class %s", name);
    else
        JS_ThrowTypeError(ctx, "Receiver must be class anonymous");
    JS_FreeCString(ctx, name);
}

/* == Expressions, read off the bytecode == */

static int js_word(JSWords *w, int kind, uint32_t arg, int a, int b)
{
    JSWord *node;

    if (w->count == JS_WORDS_NODES)
        return WORD_UNKNOWN;
    node = &w->nodes[w->count];
    node->kind = kind;
    node->arg = arg;
    node->a = a;
    node->b = b;
    node->next = 0;
    return w->count++;
}

static void js_word_push(JSWords *w, int node)
{
    if (w->depth == JS_WORDS_STACK) {
        memmove(w->stack, w->stack + 1, (JS_WORDS_STACK - 1) * sizeof(w->stack[0]));
        w->depth--;
    }
    w->stack[w->depth++] = node;
}

static int js_word_pop(JSWords *w)
{
    return w->depth > 0 ? w->stack[--w->depth] : WORD_UNKNOWN;
}

static int js_word_top(JSWords *w, int below)
{
    return w->depth > below ? w->stack[w->depth - 1 - below] : WORD_UNKNOWN;
}

/* Replaces the upper `n` values by those at the places in `order`, counted from the top, of which
   the last becomes the new top. */
static void js_word_shuffle(JSWords *w, int n, const char *order)
{
    uint16_t old[8];
    int i;

    for (i = 0; i < n; i++)
        old[i] = js_word_pop(w);
    for (; *order; order++)
        js_word_push(w, old[*order - '0']);
}

static void js_word_name(JSWords *w, JSAtom atom)
{
    bool is_hidden = atom == JS_ATOM_NULL || atom == JS_ATOM_empty_string
        || atom == JS_ATOM_home_object || atom == JS_ATOM_this_active_func;
    js_word_push(w, is_hidden ? WORD_UNKNOWN : js_word(w, WORD_NAME, atom, 0, 0));
}

static void js_word_local(JSWords *w, int idx)
{
    JSFunctionBytecode *b = w->b;
    js_word_name(w, b->vardefs && idx < b->var_count
                 ? b->vardefs[b->arg_count + idx].var_name : JS_ATOM_NULL);
}

static void js_word_argument(JSWords *w, int idx)
{
    JSFunctionBytecode *b = w->b;
    JSAtom atom = b->vardefs && idx < b->arg_count ? b->vardefs[idx].var_name : JS_ATOM_NULL;
    if (atom == JS_ATOM_NULL || atom == JS_ATOM_empty_string)
        js_word_push(w, js_word(w, WORD_PARAMETER, 0, 0, 0));
    else
        js_word_name(w, atom);
}

static void js_word_captured(JSWords *w, int idx)
{
    JSFunctionBytecode *b = w->b;
    js_word_name(w, idx < b->closure_var_count ? b->closure_var[idx].var_name : JS_ATOM_NULL);
}

static JSWordJump *js_word_jump(JSWords *w, uint32_t target, int operator)
{
    JSWordJump *jump = &w->jumps[0];
    int i;

    for (i = 0; i < JS_WORDS_JUMPS; i++) {
        if (!w->jumps[i].target) {
            jump = &w->jumps[i];
            break;
        }
        if (w->jumps[i].target < jump->target)
            jump = &w->jumps[i];
    }
    jump->target = target;
    jump->operator = operator;
    jump->depth = w->depth;
    memcpy(jump->stack, w->stack, sizeof(w->stack));
    return jump;
}

/* Joins the values of jumps that end here. */
static bool js_word_join(JSWords *w, uint32_t pos, bool is_live)
{
    JSWordJump *jump;
    int i, j, left, right, n;

    for (i = 0; i < JS_WORDS_JUMPS; i++) {
        jump = &w->jumps[i];
        if (jump->target != pos)
            continue;
        jump->target = 0;
        if (!is_live) {
            is_live = true;
            w->depth = jump->depth;
            memcpy(w->stack, jump->stack, sizeof(w->stack));
            if (jump->operator == '?' && w->depth > 0) {
                left = w->stack[w->depth - 1];
                w->stack[w->depth - 1] = js_word(w, WORD_OPTIONAL, 0, left, 0);
            }
            continue;
        }
        if (jump->operator == 'c')
            continue;
        n = min_int(w->depth, jump->depth);
        for (j = 1; j <= n; j++) {
            left = jump->stack[jump->depth - j];
            right = w->stack[w->depth - j];
            if (left == right)
                continue;
            if (j == 1 && jump->operator)
                w->stack[w->depth - j] = js_word(w, WORD_LOGIC, jump->operator, left, right);
            else
                w->stack[w->depth - j] = js_word(w, WORD_CHOICE, 0, 0, 0);
        }
    }
    return is_live;
}

/* Notes a conditional jump; the condition was popped already. */
static void js_word_branch(JSWords *w, uint32_t target, bool if_true, int condition)
{
    int operator = 0;
    JSWord *node = &w->nodes[condition];

    if (condition && condition == js_word_top(w, 0))
        operator = if_true ? '|' : '&';
    else if (node->kind == WORD_IS_NULLISH && node->a == js_word_top(w, 0) && !if_true)
        operator = '?';
    js_word_jump(w, target, operator);
}

static void js_word_goto(JSWords *w, uint32_t target, uint32_t next)
{
    int i, operator = 0;

    for (i = 0; i < JS_WORDS_JUMPS; i++) {
        if (w->jumps[i].target == next && w->jumps[i].operator == '?'
        &&  w->nodes[js_word_top(w, 0)].kind == WORD_UNDEFINED)
            operator = 'c';
    }
    js_word_jump(w, target, operator);
}

/* Executes one instruction on words. Returns false if the next one is reached by jumps only. */
static bool js_word_step(JSWords *w, uint32_t pos, int op, const JSOpCode *oi)
{
    const uint8_t *pc = w->b->byte_code_buf + pos + 1;
    int i, n, node, next;

    if (w->count > JS_WORDS_NODES - 8) {
        /* Forgets, rather than to grow with the length of the function. */
        w->count = 1;
        memset(w->stack, 0, sizeof(w->stack));
        memset(w->jumps, 0, sizeof(w->jumps));
    }
    switch (op) {
    case OP_push_i32: js_word_push(w, js_word(w, WORD_INT, get_u32(pc), 0, 0)); break;
    case OP_push_i16: js_word_push(w, js_word(w, WORD_INT, (int16_t)get_u16(pc), 0, 0)); break;
    case OP_push_i8: js_word_push(w, js_word(w, WORD_INT, (int8_t)*pc, 0, 0)); break;
    case OP_push_minus1: case OP_push_0: case OP_push_1: case OP_push_2: case OP_push_3:
    case OP_push_4: case OP_push_5: case OP_push_6: case OP_push_7:
        js_word_push(w, js_word(w, WORD_INT, op - OP_push_0, 0, 0));
        break;
    case OP_push_const: js_word_push(w, js_word(w, WORD_CONST, get_u32(pc), 0, 0)); break;
    case OP_push_const8: js_word_push(w, js_word(w, WORD_CONST, *pc, 0, 0)); break;
    case OP_push_atom_value: js_word_push(w, js_word(w, WORD_STRING, get_u32(pc), 0, 0)); break;
    case OP_push_empty_string: js_word_push(w, js_word(w, WORD_EMPTY, 0, 0, 0)); break;
    case OP_undefined: js_word_push(w, js_word(w, WORD_UNDEFINED, 0, 0, 0)); break;
    case OP_null: js_word_push(w, js_word(w, WORD_NULL, 0, 0, 0)); break;
    case OP_push_false: js_word_push(w, js_word(w, WORD_FALSE, 0, 0, 0)); break;
    case OP_push_true: js_word_push(w, js_word(w, WORD_TRUE, 0, 0, 0)); break;
    case OP_push_this: js_word_name(w, JS_ATOM_this); break;
    case OP_object: js_word_push(w, js_word(w, WORD_OBJECT, 0, 0, 0)); break;

    case OP_get_var_undef: case OP_get_var: js_word_name(w, get_u32(pc)); break;
    case OP_get_loc: case OP_get_loc_check: js_word_local(w, get_u16(pc)); break;
    case OP_set_loc: js_word_pop(w); js_word_local(w, get_u16(pc)); break;
    case OP_get_loc8: js_word_local(w, *pc); break;
    case OP_set_loc8: js_word_pop(w); js_word_local(w, *pc); break;
    case OP_get_loc0: case OP_get_loc1: case OP_get_loc2: case OP_get_loc3:
        js_word_local(w, op - OP_get_loc0);
        break;
    case OP_set_loc0: case OP_set_loc1: case OP_set_loc2: case OP_set_loc3:
        js_word_pop(w);
        js_word_local(w, op - OP_set_loc0);
        break;
    case OP_get_loc0_loc1:
        js_word_local(w, 0);
        js_word_local(w, 1);
        break;
    case OP_get_arg: js_word_argument(w, get_u16(pc)); break;
    case OP_get_arg0: case OP_get_arg1: case OP_get_arg2: case OP_get_arg3:
        js_word_argument(w, op - OP_get_arg0);
        break;
    case OP_set_arg: js_word_pop(w); js_word_argument(w, get_u16(pc)); break;
    case OP_set_arg0: case OP_set_arg1: case OP_set_arg2: case OP_set_arg3:
        js_word_pop(w);
        js_word_argument(w, op - OP_set_arg0);
        break;
    case OP_set_var_ref: js_word_pop(w); js_word_captured(w, get_u16(pc)); break;
    case OP_set_var_ref0: case OP_set_var_ref1: case OP_set_var_ref2: case OP_set_var_ref3:
        js_word_pop(w);
        js_word_captured(w, op - OP_set_var_ref0);
        break;
    case OP_get_var_ref: case OP_get_var_ref_check: js_word_captured(w, get_u16(pc)); break;
    case OP_get_var_ref0: case OP_get_var_ref1: case OP_get_var_ref2: case OP_get_var_ref3:
        js_word_captured(w, op - OP_get_var_ref0);
        break;

    case OP_dup: js_word_push(w, js_word_top(w, 0)); break;
    case OP_nip: js_word_shuffle(w, 2, "0"); break;
    case OP_nip1: js_word_shuffle(w, 3, "10"); break;
    case OP_dup1: js_word_shuffle(w, 2, "110"); break;
    case OP_dup2: js_word_shuffle(w, 2, "1010"); break;
    case OP_dup3: js_word_shuffle(w, 3, "210210"); break;
    case OP_insert2: js_word_shuffle(w, 2, "010"); break;
    case OP_insert3: js_word_shuffle(w, 3, "0210"); break;
    case OP_insert4: js_word_shuffle(w, 4, "03210"); break;
    case OP_perm3: js_word_shuffle(w, 3, "120"); break;
    case OP_perm4: js_word_shuffle(w, 4, "1320"); break;
    case OP_perm5: js_word_shuffle(w, 5, "14320"); break;
    case OP_swap: js_word_shuffle(w, 2, "01"); break;
    case OP_swap2: js_word_shuffle(w, 4, "1032"); break;
    case OP_rot3l: js_word_shuffle(w, 3, "102"); break;
    case OP_rot3r: js_word_shuffle(w, 3, "021"); break;
    case OP_rot4l: js_word_shuffle(w, 4, "2103"); break;
    case OP_rot5l: js_word_shuffle(w, 5, "32104"); break;

    case OP_get_field:
        node = js_word_pop(w);
        js_word_push(w, js_word(w, WORD_FIELD, get_u32(pc), node, 0));
        break;
    case OP_get_length:
        node = js_word_pop(w);
        js_word_push(w, js_word(w, WORD_FIELD, JS_ATOM_length, node, 0));
        break;
    case OP_get_field2:
        js_word_push(w, js_word(w, WORD_FIELD, get_u32(pc), js_word_top(w, 0), 0));
        break;
    case OP_get_array_el: case OP_get_private_field:
        node = js_word_pop(w);
        next = js_word_pop(w);
        js_word_push(w, js_word(w, WORD_ELEMENT, 0, next, node));
        break;
    case OP_get_array_el2:
        node = js_word_pop(w);
        js_word_push(w, js_word(w, WORD_ELEMENT, 0, js_word_top(w, 0), node));
        break;
    case OP_get_super_value:
        node = js_word_pop(w);
        js_word_shuffle(w, 2, "");
        js_word_push(w, js_word(w, WORD_ELEMENT, 0, WORD_UNKNOWN, node));
        break;
    case OP_get_super:
        js_word_pop(w);
        js_word_push(w, js_word(w, WORD_SUPER, 0, 0, 0));
        break;

    case OP_call0: case OP_call1: case OP_call2: case OP_call3:
    case OP_call: case OP_call_method: case OP_eval:
        n = op >= OP_call0 && op <= OP_call3 ? op - OP_call0 : get_u16(pc);
        for (i = 0; i < n; i++)
            js_word_pop(w);
        node = js_word_pop(w);
        if (op == OP_call_method)
            js_word_pop(w);
        js_word_push(w, js_word(w, WORD_CALL, 0, node, 0));
        break;
    case OP_apply:
        js_word_shuffle(w, 2, "");
        node = js_word_pop(w);
        js_word_push(w, get_u16(pc) ? WORD_UNKNOWN : js_word(w, WORD_CALL, 0, node, 0));
        break;
    case OP_array_from:
        n = get_u16(pc);
        next = 0;
        for (i = 0; i < n; i++) {
            /* The same node may be an element twice, so each is a node of its own. */
            node = js_word_pop(w);
            if (w->count < JS_WORDS_NODES - 1) {
                w->nodes[w->count] = w->nodes[node];
                w->nodes[w->count].next = next;
                next = w->count++;
            }
        }
        js_word_push(w, js_word(w, WORD_ARRAY, 0, next, 0));
        break;
    case OP_define_field: case OP_define_method:
        js_word_pop(w);
        node = js_word_pop(w);
        n = w->nodes[node].kind == WORD_OBJECT ? w->nodes[node].arg + 1 : 0;
        js_word_push(w, n ? js_word(w, WORD_OBJECT, n, 0, 0) : WORD_UNKNOWN);
        break;

    case OP_mul: case OP_div: case OP_mod: case OP_add: case OP_sub: case OP_shl: case OP_sar:
    case OP_shr: case OP_and: case OP_xor: case OP_or: case OP_pow: case OP_lt: case OP_lte:
    case OP_gt: case OP_gte: case OP_instanceof: case OP_in: case OP_eq: case OP_neq:
    case OP_strict_eq: case OP_strict_neq:
        node = js_word_pop(w);
        next = js_word_pop(w);
        js_word_push(w, js_word(w, WORD_BINARY, op, next, node));
        break;
    case OP_neg: case OP_plus: case OP_not: case OP_lnot: case OP_typeof:
        node = js_word_pop(w);
        js_word_push(w, js_word(w, WORD_UNARY, op, node, 0));
        break;
    case OP_is_undefined_or_null:
        node = js_word_pop(w);
        js_word_push(w, js_word(w, WORD_IS_NULLISH, 0, node, 0));
        break;
    case OP_await:
        js_word_pop(w);
        js_word_push(w, js_word(w, WORD_AWAIT, 0, 0, 0));
        break;
    case OP_to_object:
        node = js_word_pop(w);
        js_word_push(w, js_word(w, WORD_PATTERN, 0, node, 0));
        break;
    case OP_to_propkey: case OP_set_name: case OP_check_brand: case OP_to_propkey2:
    case OP_set_name_computed: case OP_set_home_object: case OP_check_object:
        break;

    case OP_for_in_next: case OP_for_of_next: case OP_iterator_get_value_done:
        next = pos + oi->size < w->b->byte_code_len ? pc[oi->size - 1] : OP_invalid;
        if (op == OP_iterator_get_value_done)
            js_word_pop(w);
        node = next == OP_if_false || next == OP_if_false8
            ? js_word(w, WORD_LOOP, 0, 0, 0) : WORD_UNKNOWN;
        js_word_push(w, node);
        js_word_push(w, WORD_UNKNOWN);
        break;

    case OP_if_false: case OP_if_true:
        node = js_word_pop(w);
        js_word_branch(w, pos + 1 + (int32_t)get_u32(pc), op == OP_if_true, node);
        break;
    case OP_if_false8: case OP_if_true8:
        node = js_word_pop(w);
        js_word_branch(w, pos + 1 + (int8_t)*pc, op == OP_if_true8, node);
        break;
    case OP_goto:
        js_word_goto(w, pos + 1 + (int32_t)get_u32(pc), pos + oi->size);
        return false;
    case OP_goto16:
        js_word_goto(w, pos + 1 + (int16_t)get_u16(pc), pos + oi->size);
        return false;
    case OP_goto8:
        js_word_goto(w, pos + 1 + (int8_t)*pc, pos + oi->size);
        return false;
    case OP_return: case OP_return_undef: case OP_return_async: case OP_throw:
    case OP_throw_error: case OP_ret: case OP_tail_call: case OP_tail_call_method:
        return false;

    default:
        n = oi->n_pop;
        if (oi->fmt == OP_FMT_npop || oi->fmt == OP_FMT_npop_u16)
            n += get_u16(pc);
        for (i = 0; i < n; i++)
            js_word_pop(w);
        for (i = 0; i < oi->n_push; i++)
            js_word_push(w, WORD_UNKNOWN);
        break;
    }
    return true;
}

/* Returns the words of the operands of the instruction that a frame executes, or NULL if the frame
   is not of a script. The caller frees them. */
static JSWords *js_words_at(JSContext *ctx, JSStackFrame *sf)
{
    JSFunctionBytecode *b;
    const JSOpCode *oi;
    JSWords *w;
    uint32_t pos, stop;
    bool is_live = true;

    if (!sf || !sf->cur_pc)
        return NULL;
    b = JS_GetFunctionBytecode(sf->cur_func);
    if (!b)
        return NULL;
    w = js_malloc_rt(ctx->rt, sizeof(*w));
    if (!w)
        return NULL;
    memset(w, 0, sizeof(*w));
    w->b = b;
    w->count = 1;
    stop = sf->cur_pc - b->byte_code_buf;
    for (pos = 0; pos < b->byte_code_len; pos += oi->size) {
        int op = b->byte_code_buf[pos];
        oi = &short_opcode_info(op);
        is_live = js_word_join(w, pos, is_live);
        if (!is_live)
            w->depth = 0;
        w->pos = pos;
        if (pos < stop && stop <= pos + oi->size)
            return w;
        is_live = js_word_step(w, pos, op, oi);
    }
    js_free_rt(ctx->rt, w);
    return NULL;
}

static int js_words_op(JSWords *w, uint32_t pos)
{
    return pos < w->b->byte_code_len ? w->b->byte_code_buf[pos] : OP_invalid;
}

static int js_words_next(JSWords *w, uint32_t pos)
{
    return pos + short_opcode_info(js_words_op(w, pos)).size;
}

/* Returns the target of a jump, or 0. */
static uint32_t js_words_target(JSWords *w, uint32_t pos)
{
    const uint8_t *pc = w->b->byte_code_buf + pos;

    switch (*pc) {
    case OP_if_false: case OP_if_true: case OP_goto: return pos + 1 + (int32_t)get_u32(pc + 1);
    case OP_goto16: return pos + 1 + (int16_t)get_u16(pc + 1);
    case OP_if_false8: case OP_if_true8: case OP_goto8: return pos + 1 + (int8_t)pc[1];
    default: return 0;
    }
}

/* Returns the value that a pattern takes apart. The code of a pattern comes before the code of its
   value, which jumps back. */
static int js_words_taken(JSWords *w)
{
    uint32_t start = w->pos, target, pos;
    int node = js_word_top(w, 0), op;

    for (pos = start; pos < w->b->byte_code_len; pos = js_words_next(w, pos)) {
        op = js_words_op(w, pos);
        target = js_words_target(w, pos);
        if (pos > start) {
            if (!js_word_join(w, pos, w->depth > 0))
                w->depth = 0;
            if (target && (target == start
                           || (target + 1 == start && js_words_op(w, target) == OP_dup))) {
                if (op != OP_goto && op != OP_goto8 && op != OP_goto16)
                    js_word_pop(w);
                return js_word_top(w, 0);
            }
        }
        if (!js_word_step(w, pos, op, &short_opcode_info(op)))
            w->depth = 0;
        /* The pool of nodes began anew. */
        if (w->count <= node)
            node = WORD_UNKNOWN;
    }
    return node;
}

static const char *js_word_operator(int op)
{
    switch (op) {
    case OP_mul: return "*";
    case OP_div: return "/";
    case OP_mod: return "%";
    case OP_add: return "+";
    case OP_sub: case OP_neg: return "-";
    case OP_shl: return "<<";
    case OP_sar: return ">>";
    case OP_shr: return ">>>";
    case OP_and: return "&";
    case OP_xor: return "^";
    case OP_or: return "|";
    case OP_pow: return "**";
    case OP_lt: return "<";
    case OP_lte: return "<=";
    case OP_gt: return ">";
    case OP_gte: return ">=";
    case OP_instanceof: return "instanceof";
    case OP_in: return "in";
    case OP_eq: return "==";
    case OP_neq: return "!=";
    case OP_strict_eq: return "===";
    case OP_strict_neq: return "!==";
    case OP_plus: return "+";
    case OP_not: return "~";
    case OP_lnot: return "!";
    default: return "typeof ";
    }
}

static void js_put_word(JSContext *ctx, DynBuf *d, JSWords *w, int i, int depth)
{
    JSWord *node = &w->nodes[i];
    JSWord *key;
    JSValueConst val;
    uint32_t n;

    if (depth > JS_WORDS_DEPTH || d->size > JS_WORDS_TEXT) {
        dbuf_putstr(d, "(intermediate value)");
        return;
    }
    depth++;
    switch (node->kind) {
    case WORD_NAME: js_put_atom(ctx, d, node->arg); break;
    case WORD_STRING:
        dbuf_putc(d, '"');
        js_put_atom(ctx, d, node->arg);
        dbuf_putc(d, '"');
        break;
    case WORD_INT: dbuf_printf(d, "%d", (int)node->arg); break;
    case WORD_CONST:
        val = (int)node->arg < w->b->cpool_count ? w->b->cpool[node->arg] : JS_UNDEFINED;
        if (JS_IsString(val)) {
            dbuf_putc(d, '"');
            js_put_value(ctx, d, val);
            dbuf_putc(d, '"');
        } else if (JS_IsNumber(val) || JS_IsBigInt(val)) {
            js_put_value(ctx, d, val);
        } else {
            dbuf_putstr(d, "(intermediate value)");
        }
        break;
    case WORD_UNDEFINED: dbuf_putstr(d, "undefined"); break;
    case WORD_NULL: dbuf_putstr(d, "null"); break;
    case WORD_FALSE: dbuf_putstr(d, "false"); break;
    case WORD_TRUE: dbuf_putstr(d, "true"); break;
    case WORD_EMPTY: dbuf_putstr(d, "\"\""); break;
    case WORD_FIELD:
        js_put_word(ctx, d, w, node->a, depth);
        dbuf_putc(d, '.');
        js_put_atom(ctx, d, node->arg);
        break;
    case WORD_ELEMENT:
        js_put_word(ctx, d, w, node->a, depth);
        key = &w->nodes[node->b];
        if (key->kind == WORD_STRING) {
            dbuf_putc(d, '.');
            js_put_atom(ctx, d, key->arg);
            break;
        }
        dbuf_putc(d, '[');
        js_put_word(ctx, d, w, node->b, depth);
        dbuf_putc(d, ']');
        break;
    case WORD_CALL:
        js_put_word(ctx, d, w, node->a, depth);
        dbuf_putstr(d, "(...)");
        break;
    case WORD_ARRAY:
        dbuf_putc(d, '[');
        for (i = node->a; i; i = w->nodes[i].next) {
            if (i != node->a)
                dbuf_putc(d, ',');
            js_put_word(ctx, d, w, i, depth);
        }
        dbuf_putc(d, ']');
        break;
    case WORD_OBJECT:
        dbuf_putc(d, '{');
        for (n = 0; n < node->arg && d->size < JS_WORDS_TEXT; n++)
            dbuf_putstr(d, "(intermediate value)");
        dbuf_putc(d, '}');
        break;
    case WORD_BINARY:
        dbuf_putc(d, '(');
        js_put_word(ctx, d, w, node->a, depth);
        dbuf_printf(d, " %s ", js_word_operator(node->arg));
        js_put_word(ctx, d, w, node->b, depth);
        dbuf_putc(d, ')');
        break;
    case WORD_LOGIC:
        dbuf_putc(d, '(');
        js_put_word(ctx, d, w, node->a, depth);
        dbuf_printf(d, " %c%c ", (char)node->arg, (char)node->arg);
        js_put_word(ctx, d, w, node->b, depth);
        dbuf_putc(d, ')');
        break;
    case WORD_UNARY:
        dbuf_printf(d, "(%s", js_word_operator(node->arg));
        js_put_word(ctx, d, w, node->a, depth);
        dbuf_putc(d, ')');
        break;
    case WORD_CHOICE:
        dbuf_putstr(d, "(intermediate value)(intermediate value)(intermediate value)");
        break;
    case WORD_OPTIONAL:
        js_put_word(ctx, d, w, node->a, depth);
        dbuf_putc(d, '?');
        break;
    case WORD_PATTERN: js_put_word(ctx, d, w, node->a, depth); break;
    case WORD_LOOP: dbuf_putstr(d, ".for"); break;
    default: dbuf_putstr(d, "(intermediate value)"); break;
    }
}

/* A callee after `?.` is shown without it: `f?.()` is `f`. */
static int js_word_called(JSWords *w, int node)
{
    return w->nodes[node].kind == WORD_OPTIONAL ? w->nodes[node].a : node;
}

/* == Errors that name expressions == */

static no_inline JSValue js_throw_not_function(JSContext *ctx, JSValueConst func)
{
    JSWords *w = js_words_at(ctx, ctx->rt->current_stack_frame);
    const uint8_t *pc;
    DynBuf d;
    int below = -1;

    if (w) {
        pc = w->b->byte_code_buf + w->pos;
        switch (*pc) {
        case OP_call0: case OP_call1: case OP_call2: case OP_call3:
            below = *pc - OP_call0;
            break;
        case OP_call: case OP_tail_call: case OP_call_method: case OP_tail_call_method: case OP_eval:
            below = get_u16(pc + 1);
            break;
        case OP_apply:
            below = 2;
            break;
        case OP_apply_eval:
            below = 1;
            break;
        }
    }
    js_dbuf_init(ctx, &d);
    if (below >= 0)
        js_put_word(ctx, &d, w, js_word_called(w, js_word_top(w, below)), 0);
    else
        js_put_value(ctx, &d, func);
    js_free_rt(ctx->rt, w);
    dbuf_putstr(&d, " is not a function");
    return js_throw_text(ctx, JS_TYPE_ERROR, &d);
}

static no_inline JSValue js_throw_not_constructor(JSContext *ctx, JSValueConst func)
{
    JSStackFrame *sf = ctx->rt->current_stack_frame;
    JSWords *w = js_words_at(ctx, sf);
    const uint8_t *pc;
    const char *name;
    DynBuf d;
    int node = -1;

    if (w) {
        pc = w->b->byte_code_buf + w->pos;
        if (*pc == OP_call_constructor)
            node = js_word_top(w, get_u16(pc + 1) + 1);
        else if (*pc == OP_apply)
            node = js_word_top(w, 2);
        else if (*pc == OP_init_ctor)
            node = js_word(w, WORD_SUPER, 0, 0, 0);
    }
    js_dbuf_init(ctx, &d);
    if (node >= 0 && w->nodes[node].kind == WORD_SUPER) {
        name = get_func_name(ctx, sf->cur_func);
        dbuf_putstr(&d, "Super constructor ");
        /* The parent of a class without one is Function.prototype. */
        if (JS_VALUE_GET_TAG(func) == JS_TAG_OBJECT
        &&  JS_VALUE_GET_OBJ(func) == JS_VALUE_GET_OBJ(ctx->function_proto))
            dbuf_putstr(&d, "null");
        else
            js_put_value(ctx, &d, func);
        dbuf_printf(&d, " of %s", name && *name ? name : "anonymous class");
        JS_FreeCString(ctx, name);
    } else if (node >= 0) {
        js_put_word(ctx, &d, w, node, 0);
    } else if (JS_IsFunction(ctx, func) && !JS_GetFunctionBytecode(func)) {
        name = get_func_name(ctx, func);
        dbuf_putstr(&d, name ? name : "");
        JS_FreeCString(ctx, name);
    } else {
        js_put_value(ctx, &d, func);
    }
    js_free_rt(ctx->rt, w);
    dbuf_putstr(&d, " is not a constructor");
    return js_throw_text(ctx, JS_TYPE_ERROR, &d);
}

static no_inline JSValue js_throw_not_iterable(JSContext *ctx, JSValueConst val, bool is_async)
{
    static const char suffix[] = " is not iterable (cannot read property Symbol(Symbol.iterator))";
    JSWords *w = js_words_at(ctx, ctx->rt->current_stack_frame);
    bool is_nullish = JS_IsUndefined(val) || JS_IsNull(val);
    int op = OP_invalid, next = OP_invalid, after, node = 0, kind;
    DynBuf d;

    js_dbuf_init(ctx, &d);
    if (w) {
        op = js_words_op(w, w->pos);
        after = js_words_next(w, w->pos);
        next = js_words_op(w, after);
        node = op == OP_for_of_start && next == OP_for_of_next
            ? js_words_taken(w) : js_word_top(w, 0);
        if (op == OP_append && next == OP_drop) {
            next = js_words_op(w, js_words_next(w, after));
            if (next == OP_perm3 || next == OP_undefined || next == OP_apply) {
                if (is_nullish) {
                    js_put_word(ctx, &d, w, node, 0);
                    dbuf_putstr(&d, " is not iterable (cannot read property undefined)");
                } else {
                    dbuf_putstr(&d, "Spread syntax requires ...iterable[Symbol.iterator] to be a function");
                }
                goto done;
            }
        }
    }
    kind = w ? w->nodes[node].kind : WORD_UNKNOWN;
    if (op == OP_for_await_of_start) {
        js_put_word(ctx, &d, w, node, 0);
        dbuf_putstr(&d, " is not async iterable");
    } else if (op == OP_append || (op == OP_for_of_start
               && (next == OP_goto || next == OP_goto8 || next == OP_goto16))) {
        js_put_word(ctx, &d, w, kind == WORD_CALL ? w->nodes[node].a : node, 0);
        dbuf_putstr(&d, kind == WORD_CALL
                    ? " is not a function or its return value is not iterable" : " is not iterable");
    } else if (op == OP_for_of_start && kind == WORD_CALL
               && w->nodes[w->nodes[node].a].kind == WORD_NAME) {
        js_put_word(ctx, &d, w, w->nodes[node].a, 0);
        dbuf_putstr(&d, " is not a function or its return value is not iterable");
    } else if (op == OP_for_of_start && next == OP_for_of_next && kind != WORD_UNKNOWN
               && kind != WORD_PARAMETER && kind != WORD_FIELD && kind != WORD_ELEMENT
               && kind != WORD_CALL) {
        js_put_word(ctx, &d, w, node, 0);
        dbuf_putstr(&d, " is not iterable");
    } else if (is_async) {
        js_put_kind(ctx, &d, val);
        dbuf_putstr(&d, " is not async iterable");
    } else {
        js_put_kind(ctx, &d, val);
        dbuf_putstr(&d, suffix);
    }
done:
    js_free_rt(ctx->rt, w);
    return js_throw_text(ctx, JS_TYPE_ERROR, &d);
}

/* Replaces the error of an object pattern for undefined or null. */
static no_inline void js_throw_pattern(JSContext *ctx, JSValueConst val)
{
    JSWords *w = js_words_at(ctx, ctx->rt->current_stack_frame);
    JSAtom prop = JS_ATOM_NULL;
    JSWord *node;
    uint32_t pos, i;
    DynBuf d;
    int op, kind, top;

    if (!w || js_words_op(w, w->pos) != OP_to_object
    ||  !(JS_IsUndefined(val) || JS_IsNull(val))) {
        js_free_rt(ctx->rt, w);
        return;
    }
    JS_FreeValue(ctx, JS_GetException(ctx));
    /* The first property that the pattern reads. */
    pos = js_words_next(w, w->pos);
    for (i = 0; i < 12 && prop == JS_ATOM_NULL; i++) {
        op = js_words_op(w, pos);
        if (op == OP_get_field || op == OP_get_field2)
            prop = get_u32(w->b->byte_code_buf + pos + 1);
        else if (op == OP_get_length)
            prop = JS_ATOM_length;
        else if (!(op >= OP_drop && op <= OP_rot5l) && op != OP_object && op != OP_null
                 && op != OP_push_atom_value && op != OP_define_field && op != OP_nop)
            break;
        pos = js_words_next(w, pos);
    }
    top = js_words_taken(w);
    node = &w->nodes[top];
    kind = node->kind;
    js_dbuf_init(ctx, &d);
    if (kind == WORD_UNKNOWN || (kind == WORD_FIELD && w->nodes[node->a].kind == WORD_PATTERN)) {
        js_free_rt(ctx->rt, w);
        dbuf_free(&d);
        if (prop != JS_ATOM_NULL)
            js_throw_read(ctx, val, prop);
        else
            js_throw_words(ctx, JS_TYPE_ERROR, "Cannot destructure '%v' as it is %v.", val, val);
        return;
    }
    dbuf_putstr(&d, "Cannot destructure ");
    if (prop != JS_ATOM_NULL) {
        dbuf_putstr(&d, "property '");
        js_put_atom(ctx, &d, prop);
        dbuf_putstr(&d, "' of ");
    }
    dbuf_putc(&d, '\'');
    if (kind == WORD_PARAMETER)
        js_put_kind(ctx, &d, val);
    else
        js_put_word(ctx, &d, w, top, 0);
    dbuf_putstr(&d, "' as it is ");
    js_put_value(ctx, &d, val);
    dbuf_putc(&d, '.');
    js_free_rt(ctx->rt, w);
    js_throw_text(ctx, JS_TYPE_ERROR, &d);
}

/* == Stack traces == */

static bool js_has_own_function(JSValueConst obj, JSAtom name, JSValueConst func)
{
    JSProperty *pr;
    JSShapeProperty *prs;

    if (JS_VALUE_GET_TAG(obj) != JS_TAG_OBJECT)
        return false;
    prs = find_own_property(&pr, JS_VALUE_GET_OBJ(obj), name);
    return prs && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL
        && JS_VALUE_GET_TAG(pr->u.value) == JS_TAG_OBJECT
        && JS_VALUE_GET_OBJ(pr->u.value) == JS_VALUE_GET_OBJ(func);
}

/* Puts the owner of a built-in function and a dot: `Array.` */
static void js_put_owner(JSContext *ctx, DynBuf *d, JSValueConst func)
{
    static const uint16_t classes[] = {
        JS_CLASS_ARRAY, JS_CLASS_STRING, JS_CLASS_OBJECT, JS_CLASS_PROMISE, JS_CLASS_MAP,
        JS_CLASS_SET, JS_CLASS_REGEXP, JS_CLASS_NUMBER, JS_CLASS_DATE, JS_CLASS_BYTECODE_FUNCTION,
        JS_CLASS_BIG_INT, JS_CLASS_SYMBOL,
    };
    static const uint16_t objects[] = { JS_ATOM_JSON, JS_ATOM_Math };
    JSProperty *pr;
    JSShapeProperty *prs;
    JSValueConst proto;
    JSAtom name;
    int i;

    prs = find_own_property(&pr, JS_VALUE_GET_OBJ(func), JS_ATOM_name);
    if (!prs || (prs->flags & JS_PROP_TMASK) != JS_PROP_NORMAL || !JS_IsString(pr->u.value))
        return;
    name = JS_ValueToAtom(ctx, pr->u.value);
    for (i = 0; i < countof(classes); i++) {
        proto = classes[i] == JS_CLASS_BYTECODE_FUNCTION ? ctx->function_proto
            : ctx->class_proto[classes[i]];
        if (JS_VALUE_GET_TAG(proto) != JS_TAG_OBJECT)
            continue;
        prs = find_own_property(&pr, JS_VALUE_GET_OBJ(proto), JS_ATOM_constructor);
        if (js_has_own_function(proto, name, func)
        ||  (prs && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL
             && js_has_own_function(pr->u.value, name, func))) {
            js_put_atom(ctx, d, ctx->rt->class_array[classes[i]].class_name);
            dbuf_putc(d, '.');
            goto done;
        }
    }
    for (i = 0; i < countof(objects); i++) {
        prs = find_own_property(&pr, JS_VALUE_GET_OBJ(ctx->global_obj), objects[i]);
        if (prs && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL
        &&  js_has_own_function(pr->u.value, name, func)) {
            js_put_atom(ctx, d, objects[i]);
            dbuf_putc(d, '.');
            break;
        }
    }
done:
    JS_FreeAtom(ctx, name);
}

/* A BigInt where a number must be. */
static no_inline JSValue js_throw_bigint(JSContext *ctx)
{
    JSStackFrame *sf = ctx->rt->current_stack_frame;
    int op;

    if (sf && sf->cur_pc && JS_GetFunctionBytecode(sf->cur_func)) {
        /* Instructions of operators have no operands of their own. */
        op = sf->cur_pc[-1];
        if (op >= OP_mul && op <= OP_pow)
            return JS_ThrowTypeError(ctx, "Cannot mix BigInt and other types, use explicit conversions");
    }
    return JS_ThrowTypeError(ctx, "Cannot convert a BigInt value to a number");
}

/* A length or offset that is negative or too large. */
static no_inline void js_throw_index(JSContext *ctx, JSValueConst val)
{
    JSStackFrame *sf = ctx->rt->current_stack_frame;
    const char *name = sf ? get_func_name(ctx, sf->cur_func) : NULL;
    size_t len = name ? strlen(name) : 0;

    if (len > 5 && !strcmp(name + len - 5, "Array"))
        js_throw_words(ctx, JS_RANGE_ERROR, "Invalid typed array length: %v", val);
    else if (len > 6 && !strcmp(name + len - 6, "Buffer"))
        JS_ThrowRangeError(ctx, "Invalid array buffer length");
    else if (len > 3 && (!strncmp(name, "get", 3) || !strncmp(name, "set", 3)))
        JS_ThrowRangeError(ctx, "Offset is outside the bounds of the DataView");
    else
        JS_ThrowRangeError(ctx, "Invalid value: not (convertible to) a safe integer");
    JS_FreeCString(ctx, name);
}

/* A built-in method that was called on another kind of object. */
static no_inline void js_throw_receiver(JSContext *ctx, JSValueConst val, JSClassID class_id)
{
    JSStackFrame *sf = ctx->rt->current_stack_frame;
    const char *name = sf ? get_func_name(ctx, sf->cur_func) : NULL;
    JSAtom class_name = ctx->rt->class_array[class_id].class_name;

    if (name && *name && !JS_GetFunctionBytecode(sf->cur_func))
        js_throw_words(ctx, JS_TYPE_ERROR, "Method %a.prototype.%s called on incompatible receiver %v", class_name, name, val);
    else
        js_throw_words(ctx, JS_TYPE_ERROR, "%a object expected", class_name);
    JS_FreeCString(ctx, name);
}

/* An argument or receiver of a built-in function that must be an object. */
static no_inline JSValue js_throw_not_object(JSContext *ctx)
{
    JSStackFrame *sf = ctx->rt->current_stack_frame;
    const char *name;
    DynBuf d;

    if (!sf || JS_GetFunctionBytecode(sf->cur_func))
        return JS_ThrowTypeError(ctx, "not an object");
    js_dbuf_init(ctx, &d);
    js_put_owner(ctx, &d, sf->cur_func);
    name = get_func_name(ctx, sf->cur_func);
    /* The functions of Reflect are those of no other object. */
    if (d.size == 0)
        dbuf_putstr(&d, "Reflect.");
    dbuf_printf(&d, "%s called on non-object", name ? name : "");
    JS_FreeCString(ctx, name);
    return js_throw_text(ctx, JS_TYPE_ERROR, &d);
}

/* Puts the type of `this` and a dot, if the function keeps `this` in a variable: `Account.` */
static void js_put_receiver(JSContext *ctx, DynBuf *d, JSStackFrame *sf, JSFunctionBytecode *b)
{
    JSValueConst val;
    const char *name;
    int i;

    for (i = 0; b->vardefs && i < b->var_count; i++) {
        if (b->vardefs[b->arg_count + i].var_name == JS_ATOM_this)
            break;
    }
    if (!b->vardefs || i == b->var_count)
        return;
    val = sf->var_buf[i];
    if (JS_VALUE_GET_TAG(val) != JS_TAG_OBJECT
    ||  JS_VALUE_GET_OBJ(val) == JS_VALUE_GET_OBJ(ctx->global_obj))
        return;
    name = JS_IsFunction(ctx, val) ? get_func_name(ctx, val)
        : js_constructor_name(ctx, JS_VALUE_GET_OBJ(val));
    if (name && *name)
        dbuf_printf(d, "%s.", name);
    JS_FreeCString(ctx, name);
}

/* Puts a frame's function as V8 does, and returns false if it has no name. */
static no_inline bool js_put_frame(JSContext *ctx, DynBuf *d, JSStackFrame *sf, JSFunctionBytecode *b)
{
    const char *name = get_func_name(ctx, sf->cur_func);
    bool has_name = name && *name;

    if (!b) {
        if (sf->is_constructor)
            dbuf_putstr(d, "new ");
        else if (has_name)
            js_put_owner(ctx, d, sf->cur_func);
        dbuf_putstr(d, has_name ? name : "<anonymous>");
        has_name = true;
    } else if (sf->is_constructor) {
        dbuf_printf(d, "new %s", has_name ? name : "<anonymous>");
        has_name = true;
    } else if (has_name) {
        if (!strncmp(name, "get ", 4) || !strncmp(name, "set ", 4)) {
            dbuf_printf(d, "%s [as %s]", name, name + 4);
        } else {
            /* The function around a script has the module's exports as `this`. */
            if (strcmp(name, "tool"))
                js_put_receiver(ctx, d, sf, b);
            dbuf_putstr(d, name);
        }
    }
    JS_FreeCString(ctx, name);
    return has_name;
}

/* == JSON == */

/* Characters of UTF-16 in a text of UTF-8. */
static int json_units(const uint8_t *p, const uint8_t *end)
{
    int n = 0;

    for (; p < end; p++) {
        if ((*p & 0xc0) != 0x80)
            n += *p >= 0xf0 ? 2 : 1;
    }
    return n;
}

static no_inline int json_throw(JSParseState *s, DynBuf *d)
{
    JSContext *ctx = s->ctx;
    JSValue error;

    dbuf_putc(d, '\0');
    error = JS_MakeError2(ctx, JS_SYNTAX_ERROR, true,
                          dbuf_error(d) ? "Error" : (const char *)d->buf);
    dbuf_free(d);
    JS_Throw(ctx, JS_IsException(error) ? JS_NULL : error);
    return -1;
}

static no_inline int json_parse_error(JSParseState *s, const uint8_t *curp, const char *msg)
{
    DynBuf d;

    js_dbuf_init(s->ctx, &d);
    dbuf_printf(&d, "%s in JSON at position %d", msg, json_units(s->buf_start, curp));
    return json_throw(s, &d);
}

/* Returns the place `units` of UTF-16 before or after `p`. */
static const uint8_t *json_move(JSParseState *s, const uint8_t *p, int units)
{
    for (; units < 0 && p > s->buf_start; units++) {
        p--;
        while (p > s->buf_start && (*p & 0xc0) == 0x80)
            p--;
        if (*p >= 0xf0)
            units++;
    }
    for (; units > 0 && p < s->buf_end; units--) {
        if (*p >= 0xf0)
            units--;
        p++;
        while (p < s->buf_end && (*p & 0xc0) == 0x80)
            p++;
    }
    return p;
}

/* A character that cannot be here, with the text around it. */
static no_inline int json_unexpected(JSParseState *s, const uint8_t *p)
{
    static const char *const special[] = { "[object Object]", "Infinity", "undefined", "NaN" };
    const uint8_t *start = s->buf_start, *end = s->buf_end, *from, *to, *next;
    DynBuf d;
    size_t i;

    js_dbuf_init(s->ctx, &d);
    if (p >= end) {
        dbuf_putstr(&d, "Unexpected end of JSON input");
        return json_throw(s, &d);
    }
    for (i = 0; i < countof(special); i++) {
        if ((size_t)(end - start) == strlen(special[i]) && !memcmp(start, special[i], end - start)) {
            dbuf_printf(&d, "\"%s\" is not valid JSON", special[i]);
            return json_throw(s, &d);
        }
    }
    if (*p == '"' || (*p >= '0' && *p <= '9') || *p == '-') {
        dbuf_free(&d);
        return json_parse_error(s, p, *p == '"' ? "Unexpected string" : "Unexpected number");
    }
    next = json_move(s, p, 1);
    dbuf_putstr(&d, "Unexpected token '");
    if (*p >= 0xf0)
        dbuf_putstr(&d, "\xef\xbf\xbd");
    else
        dbuf_put(&d, p, next - p);
    dbuf_putstr(&d, "', ");
    from = start;
    to = end;
    if (json_units(start, end) > 20) {
        from = json_move(s, p, -10);
        to = json_move(s, p, 10);
    }
    dbuf_printf(&d, "%s\"", from > start ? "..." : "");
    dbuf_put(&d, from, to - from);
    dbuf_printf(&d, "\"%s is not valid JSON", to < end ? "..." : "");
    return json_throw(s, &d);
}

/* A word other than true, false and null: the first character that differs is the wrong one. */
static no_inline int json_unexpected_word(JSParseState *s, const uint8_t *p)
{
    const char *word = *p == 't' ? "true" : *p == 'f' ? "false" : *p == 'n' ? "null" : "";

    while (*word && p < s->buf_end && *p == (uint8_t)*word) {
        word++;
        p++;
    }
    return json_unexpected(s, p);
}

static void json_put_constructor(JSContext *ctx, DynBuf *d, JSValueConst val)
{
    const char *name = JS_IsObject(val) ? js_constructor_name(ctx, JS_VALUE_GET_OBJ(val)) : NULL;

    dbuf_printf(d, "object with constructor '%s'", name ? name : "Object");
    JS_FreeCString(ctx, name);
}

/* Puts the key by which an object of the circle holds the next one. */
static void json_put_key(JSContext *ctx, DynBuf *d, JSValueConst holder, JSValueConst val)
{
    JSObject *p = JS_VALUE_GET_OBJ(holder);
    JSShapeProperty *prs = get_shape_prop(p->shape);
    uint32_t i;

    if (p->fast_array && p->class_id == JS_CLASS_ARRAY) {
        for (i = 0; i < p->u.array.count; i++) {
            if (JS_VALUE_GET_TAG(p->u.array.u.values[i]) == JS_TAG_OBJECT
            &&  JS_VALUE_GET_OBJ(p->u.array.u.values[i]) == JS_VALUE_GET_OBJ(val)) {
                dbuf_printf(d, "index %u", i);
                return;
            }
        }
    }
    for (i = 0; i < p->shape->prop_count; i++, prs++) {
        if (prs->atom != JS_ATOM_NULL && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL
        &&  (prs->flags & JS_PROP_ENUMERABLE)
        &&  JS_VALUE_GET_TAG(p->prop[i].u.value) == JS_TAG_OBJECT
        &&  JS_VALUE_GET_OBJ(p->prop[i].u.value) == JS_VALUE_GET_OBJ(val)) {
            dbuf_putstr(d, "property '");
            js_put_atom(ctx, d, prs->atom);
            dbuf_putc(d, '\'');
            return;
        }
    }
    dbuf_putstr(d, "property '...'");
}

/* `stack` holds the objects that are being written, `val` is one of them again. */
static no_inline void json_throw_circular(JSContext *ctx, JSValueConst stack, JSValueConst val)
{
    JSValue *items;
    uint32_t count, first, i;
    DynBuf d;

    js_dbuf_init(ctx, &d);
    dbuf_putstr(&d, "Converting circular structure to JSON");
    if (js_get_fast_array(ctx, stack, &items, &count)) {
        for (first = 0; first < count; first++) {
            if (JS_VALUE_GET_TAG(items[first]) == JS_TAG_OBJECT
            &&  JS_VALUE_GET_OBJ(items[first]) == JS_VALUE_GET_OBJ(val))
                break;
        }
        if (first < count) {
            dbuf_putstr(&d, "\n    --> starting at ");
            json_put_constructor(ctx, &d, items[first]);
            for (i = first + 1; i < count; i++) {
                /* Long circles are shown by their first two links and their last. */
                if (i > first + 2 && i < count - 1) {
                    if (i == first + 3)
                        dbuf_putstr(&d, "\n    |     ...");
                    continue;
                }
                dbuf_putstr(&d, "\n    |     ");
                json_put_key(ctx, &d, items[i - 1], items[i]);
                dbuf_putstr(&d, " -> ");
                json_put_constructor(ctx, &d, items[i]);
            }
            dbuf_putstr(&d, "\n    --- ");
            json_put_key(ctx, &d, items[count - 1], val);
            dbuf_putstr(&d, " closes the circle");
        }
    }
    js_throw_text(ctx, JS_TYPE_ERROR, &d);
}
