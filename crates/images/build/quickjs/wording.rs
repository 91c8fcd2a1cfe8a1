//! Changes that give errors V8's words.
//!
//! Scripts are written for Node: they print messages, match them, and tests compare them. Only paths
//! that throw are changed. The functions in C that the changes call are in `wording.c`, which is
//! inserted where the table of instructions is known.

use super::package::Change;

/// A change in `quickjs.c` of text that occurs once.
macro_rules! word {
    ($from:expr, $to:expr) => {
        words!(1, $from, $to)
    };
}

/// A change in `quickjs.c` of every occurrence of a text.
macro_rules! words {
    ($times:literal, $from:expr, $to:expr) => {
        Change { file: "quickjs/quickjs.c", times: $times, from: $from, to: $to }
    };
}

/// A change in `libregexp.c`.
macro_rules! pattern {
    ($times:literal, $from:expr, $to:expr) => {
        Change { file: "quickjs/libregexp.c", times: $times, from: $from, to: $to }
    };
}

pub(crate) const CHANGES: &[Change] = &[
    word!(
        "static bool can_store_error_stack(JSValueConst obj)\n",
        "static JSValue js_throw_words(JSContext *ctx, JSErrorEnum kind, const char *fmt, ...);
static JSValue js_throw_atom(JSContext *ctx, JSErrorEnum kind, const char *fmt, JSAtom atom);
static JSValue js_throw_atom_of(JSContext *ctx, const char *fmt, JSAtom atom, JSValueConst obj);
static JSValue js_throw_value(JSContext *ctx, const char *fmt, JSValueConst val);
static JSValue js_throw_values(JSContext *ctx, const char *fmt, JSValueConst a, JSValueConst b);
static JSValue js_throw_read(JSContext *ctx, JSValueConst obj, JSAtom prop);
static int js_throw_read_only(JSContext *ctx, int flags, JSValueConst obj, JSAtom prop);
static int js_throw_not_extensible(JSContext *ctx, int flags, JSAtom prop);
static int js_throw_on_primitive(JSContext *ctx, int flags, JSValueConst val, JSAtom prop);
static JSValue js_throw_not_function(JSContext *ctx, JSValueConst func);
static JSValue js_throw_not_constructor(JSContext *ctx, JSValueConst func);
static JSValue js_throw_not_iterable(JSContext *ctx, JSValueConst val, bool is_async);
static void js_throw_pattern(JSContext *ctx, JSValueConst val);
static bool js_put_frame(JSContext *ctx, DynBuf *d, JSStackFrame *sf, JSFunctionBytecode *b);
static bool js_is_throwing(JSContext *ctx, int flags);

static bool can_store_error_stack(JSValueConst obj)\n"
    ),
    word!(
        "static void json_free_token(JSParseState *s, JSToken *token) {\n",
        concat!(
            include_str!("wording.c"),
            "\nstatic void json_free_token(JSParseState *s, JSToken *token) {\n"
        )
    ),
    // Frames: `at Account.withdraw (file:1:2)`, `at new Account (…)`, `at file:1:2`,
    // `at Array.map (<anonymous>)`.
    word!(
        "            func_name_str = get_func_name(ctx, sf->cur_func);
            if (!func_name_str || func_name_str[0] == '\\0')
                str1 = \"<anonymous>\";
            else
                str1 = func_name_str;
            dbuf_printf(&dbuf, \"    at %s\", str1);
            JS_FreeCString(ctx, func_name_str);\n",
        "            dbuf_putstr(&dbuf, \"    at \");
            bool has_name = js_put_frame(ctx, &dbuf, sf, b);\n"
    ),
    word!("    const char *func_name_str;\n    const char *str1;\n    JSObject *p;\n", "    JSObject *p;\n"),
    word!(
        "                dbuf_printf(&dbuf, \" (%s\", atom_str ? atom_str : \"<null>\");\n",
        "                dbuf_printf(&dbuf, has_name ? \" (%s\" : \"%s\", atom_str ? atom_str : \"<null>\");\n"
    ),
    word!(
        "                    dbuf_printf(&dbuf, \":%d:%d\", line_num1, col_num1);
                dbuf_putc(&dbuf, ')');\n",
        "                    dbuf_printf(&dbuf, \":%d:%d\", line_num1, col_num1);
                if (has_name)
                    dbuf_putc(&dbuf, ')');\n"
    ),
    word!("dbuf_printf(&dbuf, \" (native)\");", "dbuf_printf(&dbuf, \" (<anonymous>)\");"),
    // A trace begins where the error was constructed, not inside the constructors of its classes.
    word!(
        "#define JS_BACKTRACE_FLAG_FILTER_FUNC      (1 << 2)\n",
        "#define JS_BACKTRACE_FLAG_FILTER_FUNC      (1 << 2)
#define JS_BACKTRACE_FLAG_NEW_TARGET       (1 << 3)\n"
    ),
    word!(
        "       function will be the first, but we also specify we want to skip the first one. */
    if (has_filter_func) {\n",
        "       function will be the first, but we also specify we want to skip the first one. */
    if (has_filter_func || (backtrace_flags & JS_BACKTRACE_FLAG_NEW_TARGET)) {\n"
    ),
    word!(
        "    /* skip the Error() function in the backtrace */
    build_backtrace(ctx, obj, JS_UNDEFINED, NULL, 0, 0, JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL);\n",
        "    /* skip the Error() function in the backtrace */
    build_backtrace(ctx, obj, new_target, NULL, 0, 0,
                    JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL | JS_BACKTRACE_FLAG_NEW_TARGET);\n"
    ),
    // Properties.
    word!(
        "        case JS_TAG_NULL:
            return JS_ThrowTypeErrorAtom(ctx, \"cannot read property '%s' of null\", prop);
        case JS_TAG_UNDEFINED:
            return JS_ThrowTypeErrorAtom(ctx, \"cannot read property '%s' of undefined\", prop);\n",
        "        case JS_TAG_NULL:
        case JS_TAG_UNDEFINED:
            return js_throw_read(ctx, obj, prop);\n"
    ),
    word!(
        "        atom = JS_ValueToAtomInternal(ctx, prop, JS_TO_STRING_NO_SIDE_EFFECTS);
        JS_FreeValue(ctx, prop);
        if (unlikely(atom == JS_ATOM_NULL))
            return JS_EXCEPTION;
        if (tag == JS_TAG_NULL) {
            JS_ThrowTypeErrorAtom(ctx, \"cannot read property '%s' of null\", atom);
        } else {
            JS_ThrowTypeErrorAtom(ctx, \"cannot read property '%s' of undefined\", atom);
        }\n",
        "        if (JS_IsObject(prop)) {
            js_throw_key(ctx, this_obj, prop);
            JS_FreeValue(ctx, prop);
            return JS_EXCEPTION;
        }
        atom = JS_ValueToAtomInternal(ctx, prop, JS_TO_STRING_NO_SIDE_EFFECTS);
        JS_FreeValue(ctx, prop);
        if (unlikely(atom == JS_ATOM_NULL))
            return JS_EXCEPTION;
        js_throw_read(ctx, this_obj, atom);\n"
    ),
    word!(
        "        JS_ThrowTypeErrorAtom(ctx, \"cannot set property '%s' of null\", prop);\n",
        "        js_throw_set(ctx, this_obj, prop);\n"
    ),
    word!(
        "        JS_ThrowTypeErrorAtom(ctx, \"cannot set property '%s' of undefined\", prop);\n",
        "        js_throw_set(ctx, this_obj, prop);\n"
    ),
    word!(
        "            ret = JS_ThrowTypeErrorReadOnly(ctx, flags, prop);\n",
        "            ret = js_throw_read_only(ctx, flags, this_obj, prop);\n"
    ),
    words!(
        2,
        "            ret = JS_ThrowTypeErrorOrFalse(ctx, flags, \"object is not extensible\");\n",
        "            ret = js_throw_not_extensible(ctx, flags, prop);\n"
    ),
    word!(
        "        return JS_ThrowTypeErrorOrFalse(ctx, flags, \"object is not extensible\");\n",
        "        return js_throw_not_extensible(ctx, flags, prop);\n"
    ),
    word!(
        "        ret = JS_ThrowTypeErrorOrFalse(ctx, flags, \"not an object\");\n",
        "        ret = js_throw_on_primitive(ctx, flags, this_obj, prop);\n"
    ),
    word!(
        "        return JS_ThrowTypeErrorReadOnly(ctx, flags, JS_ATOM_length);\n\n    if (likely(p->fast_array)) {\n",
        "        return js_throw_read_only(ctx, flags, JS_MKPTR(JS_TAG_OBJECT, p), JS_ATOM_length);\n\n    if (likely(p->fast_array)) {\n"
    ),
    word!(
        "            if (unlikely(!(get_shape_prop(p->shape)->flags & JS_PROP_WRITABLE))) {
                JS_FreeValue(ctx, val);
                return JS_ThrowTypeErrorReadOnly(ctx, flags, JS_ATOM_length);\n",
        "            if (unlikely(!(get_shape_prop(p->shape)->flags & JS_PROP_WRITABLE))) {
                JS_FreeValue(ctx, val);
                if (!js_is_throwing(ctx, flags))
                    return false;
                js_throw_words(ctx, JS_TYPE_ERROR, \"Cannot add property %d, object is not extensible\", (int)new_len - 1);
                return -1;\n"
    ),
    word!("JS_ThrowTypeErrorAtom(ctx, \"'%s' is read-only\", atom);", "JS_ThrowTypeError(ctx, \"Assignment to constant variable.\");"),
    // The setter's caller knows the property: two places.
    words!(
        2,
        "return call_setter(ctx, pr->u.getset.setter, this_obj, val, flags);\n",
        "{
                if (unlikely(!pr->u.getset.setter) && js_is_throwing(ctx, flags)) {
                    js_throw_no_setter(ctx, this_obj, prop);
                    JS_FreeValue(ctx, val);
                    return -1;
                }
                return call_setter(ctx, pr->u.getset.setter, this_obj, val, flags);
            }\n"
    ),
    word!(
        "        JS_ThrowTypeError(ctx, \"could not delete property\");\n",
        "        js_throw_atom_of(ctx, \"Cannot delete property '%a' of %v\", prop, obj);\n"
    ),
    word!(
        "        not_configurable:
            return JS_ThrowTypeErrorOrFalse(ctx, flags, \"property is not configurable\");\n",
        "        not_configurable:
            if (!js_is_throwing(ctx, flags))
                return false;
            if (flags & JS_PROP_DEFINE_PROPERTY)
                js_throw_words(ctx, JS_TYPE_ERROR, \"Cannot redefine property: %a\", prop);
            else
                js_throw_read_only(ctx, flags, this_obj, prop);
            return -1;\n"
    ),
    // Private members.
    word!(
        "    return JS_ThrowTypeErrorAtom(ctx, \"private class field '%s' does not exist\",
                                 atom);\n",
        "    return js_throw_atom(ctx, JS_TYPE_ERROR, \"Cannot read private member %a from an object whose class did not declare it\", atom);\n"
    ),
    word!(
        "    if (!prs) {
        JS_ThrowTypeErrorPrivateNotFound(ctx, prop);
    fail:\n",
        "    if (!prs) {
        js_throw_atom(ctx, JS_TYPE_ERROR, \"Cannot write private member %a to an object whose class did not declare it\", prop);
    fail:\n"
    ),
    word!(
        "    if (unlikely(JS_VALUE_GET_TAG(obj) != JS_TAG_OBJECT))
        return JS_ThrowTypeErrorNotAnObject(ctx);
    /* safety check */
    if (unlikely(JS_VALUE_GET_TAG(name) != JS_TAG_SYMBOL))
        return JS_ThrowTypeErrorNotASymbol(ctx);\n",
        "    /* safety check */
    if (unlikely(JS_VALUE_GET_TAG(name) != JS_TAG_SYMBOL))
        return JS_ThrowTypeErrorNotASymbol(ctx);
    if (unlikely(JS_IsUndefined(obj) || JS_IsNull(obj)))
        return js_throw_read(ctx, obj, js_symbol_to_atom(ctx, name));
    if (unlikely(JS_VALUE_GET_TAG(obj) != JS_TAG_OBJECT))
        return JS_ThrowTypeErrorPrivateNotFound(ctx, js_symbol_to_atom(ctx, name));\n"
    ),
    word!(
        "        JS_ThrowTypeErrorAtom(ctx, \"private class field '%s' already exists\",
                              prop);\n",
        "        js_throw_atom(ctx, JS_TYPE_ERROR, \"Cannot initialize %a twice on the same object\", prop);\n"
    ),
    word!("\"private method is already present\"", "\"Cannot initialize private methods of class anonymous twice on the same object\""),
    word!(
        "                    JS_ThrowTypeError(ctx, \"invalid brand on object\");\n",
        "                    js_throw_brand(ctx, sp[-1]);\n"
    ),
    // Calls.
    word!(
        "            return JS_ThrowTypeErrorNotAFunction(caller_ctx);\n",
        "            return js_throw_not_function(caller_ctx, func_obj);\n"
    ),
    word!(
        "            return JS_ThrowTypeErrorNotAFunction(ctx);
        }
        return call_func(ctx, func_obj, new_target, argc,\n",
        "            return js_throw_not_constructor(ctx, func_obj);
        }
        return call_func(ctx, func_obj, new_target, argc,\n"
    ),
    word!(
        "    JS_ThrowTypeErrorNotAFunction(ctx);
    return -1;
}\n",
        "    js_throw_uncallable(ctx, obj);
    return -1;
}\n"
    ),
    word!(
        "{
    JSObject *p;
    JSAtom name;

    if (JS_TAG_OBJECT != JS_VALUE_GET_TAG(func_obj))
        goto fini;
    p = JS_VALUE_GET_OBJ(func_obj);
    if (!js_class_has_bytecode(p->class_id))
        goto fini;
    name = p->u.func.function_bytecode->func_name;
    if (name == JS_ATOM_NULL)
        goto fini;
    return JS_ThrowTypeErrorAtom(ctx, \"%s is not a constructor\", name);
fini:
    return JS_ThrowTypeError(ctx, \"not a constructor\");
}\n",
        "{
    return js_throw_not_constructor(ctx, func_obj);
}\n"
    ),
    word!(
        "                JS_ThrowTypeError(ctx, \"class constructors must be invoked with 'new'\");\n",
        "                js_throw_class_call(ctx, sf->cur_func);\n"
    ),
    word!(
        "                ret_val = JS_ThrowTypeError(ctx, \"must be called with new\");\n",
        "                ret_val = js_throw_needs_new(ctx, func_obj);\n"
    ),
    words!(4, "JS_ThrowTypeError(ctx, \"constructor requires 'new'\")", "JS_ThrowTypeError(ctx, \"Constructor requires 'new'\")"),
    word!(
        "JS_ThrowTypeError(caller_ctx, \"derived class constructor must return an object or undefined\")",
        "JS_ThrowTypeError(caller_ctx, \"Derived constructors may only return object or undefined\")"
    ),
    word!("\"not a object\"", "\"CreateListFromArrayLike called on non-object\""),
    // Variables.
    word!(
        "    char buf[ATOM_GET_STR_BUF_SIZE];
    return JS_ThrowReferenceError(ctx, \"%s is not defined\",
                                  JS_AtomGetStr(ctx, buf, sizeof(buf), name));\n",
        "    return js_throw_atom(ctx, JS_REFERENCE_ERROR, \"%a is not defined\", name);\n"
    ),
    word!(
        "    char buf[ATOM_GET_STR_BUF_SIZE];
    return JS_ThrowReferenceError(ctx, \"%s is not initialized\",
                                  name == JS_ATOM_NULL ? \"lexical variable\" :
                                  JS_AtomGetStr(ctx, buf, sizeof(buf), name));\n",
        "    if (name == JS_ATOM_this)
        return JS_ThrowReferenceError(ctx, \"Must call super constructor in derived class before accessing 'this' or returning from derived constructor\");
    return js_throw_atom(ctx, JS_REFERENCE_ERROR, \"Cannot access '%a' before initialization\", name);\n"
    ),
    word!("\"'this' can be initialized only once\"", "\"Super constructor may only be called once\""),
    word!(
        "                if (unlikely(!JS_IsUninitialized(*var_refs[idx]->pvalue))) {
                    JS_ThrowReferenceErrorUninitialized2(ctx, b, idx, true);\n",
        "                if (unlikely(!JS_IsUninitialized(*var_refs[idx]->pvalue))) {
                    JS_ThrowReferenceError(ctx, \"Super constructor may only be called once\");\n"
    ),
    word!("JS_ThrowSyntaxErrorAtom(ctx, \"redeclaration of '%s'\", prop)", "JS_ThrowSyntaxErrorAtom(ctx, \"Identifier '%s' has already been declared\", prop)"),
    word!("\"unsupported reference to 'super'\"", "\"Unsupported reference to 'super'\""),
    word!("\"iterator does not have a throw method\"", "\"The iterator does not provide a 'throw' method\""),
    // Classes.
    word!(
        "                JS_ThrowTypeError(ctx, \"parent class must be constructor\");\n",
        "                js_throw_value(ctx, \"Class extends value %v is not a constructor or null\", parent_class);\n"
    ),
    word!(
        "                JS_ThrowTypeError(ctx, \"parent prototype must be an object or null\");\n",
        "                js_throw_value(ctx, \"Class extends value does not have valid prototype property %v\", parent_proto);\n"
    ),
    // Patterns and iteration.
    word!(
        "                ret_val = JS_ToObject(ctx, sp[-1]);
                if (JS_IsException(ret_val))
                    goto exception;
                JS_FreeValue(ctx, sp[-1]);\n",
        "                ret_val = JS_ToObject(ctx, sp[-1]);
                if (JS_IsException(ret_val)) {
                    js_throw_pattern(ctx, sp[-1]);
                    goto exception;
                }
                JS_FreeValue(ctx, sp[-1]);\n"
    ),
    word!(
        "        method = JS_GetProperty(ctx, obj, JS_ATOM_Symbol_iterator);
        if (JS_IsException(method))
            return method;
    }
    if (!JS_IsFunction(ctx, method)) {
        JS_FreeValue(ctx, method);
        return JS_ThrowTypeError(ctx, \"value is not iterable\");\n",
        "        method = JS_GetProperty(ctx, obj, JS_ATOM_Symbol_iterator);
        if (JS_IsException(method)) {
            if (JS_IsUndefined(obj) || JS_IsNull(obj)) {
                JS_FreeValue(ctx, JS_GetException(ctx));
                return js_throw_not_iterable(ctx, obj, false);
            }
            return method;
        }
    }
    if (!JS_IsFunction(ctx, method)) {
        JS_FreeValue(ctx, method);
        return js_throw_not_iterable(ctx, obj, is_async);\n"
    ),
    word!(
        "            if (JS_IsException(method))
                return method;
            sync_iter = JS_GetIterator2(ctx, obj, method);\n",
        "            if (JS_IsException(method))
                return method;
            if (!JS_IsFunction(ctx, method)) {
                JS_FreeValue(ctx, method);
                return js_throw_not_iterable(ctx, obj, is_async);
            }
            sync_iter = JS_GetIterator2(ctx, obj, method);\n"
    ),
    word!(
        "    iterator = JS_GetProperty(ctx, sp[-1], JS_ATOM_Symbol_iterator);
    if (JS_IsException(iterator))
        return -1;\n",
        "    iterator = JS_GetProperty(ctx, sp[-1], JS_ATOM_Symbol_iterator);
    if (JS_IsException(iterator)) {
        if (JS_IsUndefined(sp[-1]) || JS_IsNull(sp[-1])) {
            JS_FreeValue(ctx, JS_GetException(ctx));
            js_throw_not_iterable(ctx, sp[-1], false);
        }
        return -1;
    }\n"
    ),
    word!(
        "        JS_FreeValue(ctx, enum_obj);
        return JS_ThrowTypeErrorNotAnObject(ctx);
    }
    return enum_obj;\n",
        "        JS_FreeValue(ctx, enum_obj);
        return JS_ThrowTypeError(ctx, \"Result of the Symbol.iterator method is not an object\");
    }
    return enum_obj;\n"
    ),
    word!(
        "        JS_FreeValue(ctx, obj);
        JS_ThrowTypeError(ctx, \"iterator must return an object\");\n",
        "        js_throw_iterator_result(ctx, obj);
        JS_FreeValue(ctx, obj);\n"
    ),
    word!(
        "        JS_ThrowTypeError(ctx, \"iterator must return an object\");\n        return -1;\n",
        "        js_throw_iterator_result(ctx, obj);\n        return -1;\n"
    ),
    word!(
        "            if (unlikely(!JS_IsObject(sp[-1]))) {
                JS_ThrowTypeErrorNotAnObject(ctx);\n",
        "            if (unlikely(!JS_IsObject(sp[-1]))) {
                js_throw_iterator_result(ctx, sp[-1]);\n"
    ),
    word!(
        "                JSValueConst args[2];
                key = JS_UNDEFINED;
                value = JS_UNDEFINED;
                if (!JS_IsObject(item)) {
                    JS_ThrowTypeErrorNotAnObject(ctx);\n",
        "                JSValueConst args[2];
                key = JS_UNDEFINED;
                value = JS_UNDEFINED;
                if (!JS_IsObject(item)) {
                    js_throw_words(ctx, JS_TYPE_ERROR, \"Iterator value %v is not an entry object\", item);\n"
    ),
    // Operators.
    word!(
        "            JS_ThrowTypeError(ctx, \"operand 'prototype' property is not an object\");\n",
        "            js_throw_words(ctx, JS_TYPE_ERROR, \"Function has non-object prototype '%v' in instanceof check\", obj_proto);\n"
    ),
    word!(
        "    fail:
        JS_ThrowTypeError(ctx, \"invalid 'instanceof' right operand\");\n",
        "    fail:
        JS_ThrowTypeError(ctx, JS_IsObject(obj) ? \"Right-hand side of 'instanceof' is not callable\"
                          : \"Right-hand side of 'instanceof' is not an object\");\n"
    ),
    word!(
        "    if (JS_VALUE_GET_TAG(op2) != JS_TAG_OBJECT) {
        JS_ThrowTypeError(ctx, \"invalid 'in' operand\");\n",
        "    if (JS_VALUE_GET_TAG(op2) != JS_TAG_OBJECT) {
        js_throw_values(ctx, \"Cannot use 'in' operator to search for '%v' in %v\", op1, op2);\n"
    ),
    word!(
        "    if (JS_VALUE_GET_TAG(op1) != JS_TAG_OBJECT) {
        JS_ThrowTypeError(ctx, \"invalid 'in' operand\");\n",
        "    if (JS_VALUE_GET_TAG(op1) != JS_TAG_OBJECT) {
        js_throw_values(ctx, \"Cannot use 'in' operator to search for '%v' in %v\", op2, op1);\n"
    ),
    words!(2, "JS_ThrowTypeError(ctx, \"toPrimitive\")", "JS_ThrowTypeError(ctx, \"Cannot convert object to primitive value\")"),
    word!(
        "            JS_FreeValue(ctx, val);
            return JS_ThrowTypeError(ctx, \"cannot convert BigInt to number\");\n",
        "            JS_FreeValue(ctx, val);
            return js_throw_bigint(ctx);\n"
    ),
    words!(2, "\"bigint argument with unary +\"", "\"Cannot convert a BigInt value to a number\""),
    word!("\"cannot convert symbol to number\"", "\"Cannot convert a Symbol value to a number\""),
    word!("\"cannot convert symbol to string\"", "\"Cannot convert a Symbol value to a string\""),
    word!("\"BigInt operands are forbidden for >>>\"", "\"BigInts have no unsigned right shift, use >> instead\""),
    word!("\"BigInt division by zero\"", "\"Division by zero\""),
    word!("\"BigInt negative exponent\"", "\"Exponent must be non-negative\""),
    words!(4, "\"BigInt is too large to allocate\"", "\"Maximum BigInt size exceeded\""),
    word!("\"BigInt is too large\"", "\"Maximum BigInt size exceeded\""),
    word!(
        "                JS_ThrowTypeError(ctx, \"value has no property\");\n",
        "                js_throw_key(ctx, sp[-2], sp[-1]);\n"
    ),
    // Numbers and lengths.
    words!(5, "JS_ThrowRangeError(ctx, \"invalid string length\")", "JS_ThrowRangeError(ctx, \"Invalid string length\")"),
    word!("JS_ThrowRangeError(s->ctx, \"invalid string length\")", "JS_ThrowRangeError(s->ctx, \"Invalid string length\")"),
    word!(
        "        range_error:
            JS_ThrowRangeError(ctx, \"invalid array length\");\n",
        "        range_error:
            JS_ThrowRangeError(ctx, \"offset is out of bounds\");\n"
    ),
    words!(2, "JS_ThrowRangeError(ctx, \"invalid array length\")", "JS_ThrowRangeError(ctx, \"Invalid array length\")"),
    word!(
        "        JS_ThrowRangeError(ctx, \"invalid repeat count\");\n",
        "        js_throw_words(ctx, JS_RANGE_ERROR, \"Invalid count value: %v\", argv[0]);\n"
    ),
    word!("\"bad normalization form\"", "\"The normalization form should be one of NFC, NFD, NFKC, NFKD.\""),
    word!("\"empty array\"", "\"Reduce of empty array with no initial value\""),
    word!(
        "    JS_DefinePropertyValueConst(ctx, obj, JS_ATOM_errors, errors,
                               JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    return obj;\n",
        "    JS_DefinePropertyValue(ctx, obj, JS_ATOM_message, js_new_string8(ctx, \"All promises were rejected\"),
                           JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    JS_DefinePropertyValueConst(ctx, obj, JS_ATOM_errors, errors,
                               JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    build_backtrace(ctx, obj, JS_UNDEFINED, NULL, 0, 0, 0);
    return obj;\n"
    ),
    word!("\"empty iterator\"", "\"Reduce of a done iterator with no initial value\""),
    word!("\"Date value is NaN\"", "\"Invalid time value\""),
    words!(2, "\"not a Date object\"", "\"this is not a Date object.\""),
    word!(
        "        JS_ThrowRangeError(ctx, \"invalid array index: %\" PRId64, idx);\n",
        "        JS_ThrowRangeError(ctx, \"Invalid index : %\" PRId64, idx);\n"
    ),
    word!(
        "    val = JS_StringToBigInt(ctx, val);
    if (JS_VALUE_IS_NAN(val))
        return JS_ThrowSyntaxError(ctx, \"invalid BigInt literal\");
    return val;\n",
        "    JSValue text = js_dup(val);
    val = JS_StringToBigInt(ctx, val);
    if (JS_VALUE_IS_NAN(val))
        val = js_throw_words(ctx, JS_SYNTAX_ERROR, \"Cannot convert %v to a BigInt\", text);
    JS_FreeValue(ctx, text);
    return val;\n"
    ),
    word!(
        "        JS_FreeValue(ctx, val);
        return JS_ThrowTypeError(ctx, \"cannot convert to bigint\");\n",
        "        js_throw_words(ctx, JS_TYPE_ERROR, \"Cannot convert %v to a BigInt\", val);
        JS_FreeValue(ctx, val);
        return JS_EXCEPTION;\n"
    ),
    word!(
        "        JS_FreeValue(ctx, val);
        return JS_ThrowTypeError(ctx, \"cannot convert to BigInt\");\n",
        "        js_throw_words(ctx, JS_TYPE_ERROR, \"Cannot convert %v to a BigInt\", val);
        JS_FreeValue(ctx, val);
        return JS_EXCEPTION;\n"
    ),
    word!(
        "                    val = JS_ThrowRangeError(ctx, \"cannot convert to BigInt: not an integer\");
                } else {
                    val = JS_ThrowRangeError(ctx, \"cannot convert NaN or Infinity to BigInt\");",
        "                    val = js_throw_words(ctx, JS_RANGE_ERROR, \"The number %v cannot be converted to a BigInt because it is not an integer\", val);
                } else {
                    val = js_throw_words(ctx, JS_RANGE_ERROR, \"The number %v cannot be converted to a BigInt because it is not an integer\", val);"
    ),
    // Typed arrays.
    words!(4, "JS_ThrowRangeError(ctx, \"invalid array buffer length\")", "JS_ThrowRangeError(ctx, \"Array buffer allocation failed\")"),
    word!(
        "            if ((offset & ((1 << size_log2) - 1)) != 0 ||
                offset > abuf->byte_length)
                return JS_ThrowRangeError(ctx, \"invalid offset\");\n",
        "            if ((offset & ((1 << size_log2) - 1)) != 0)
                return js_throw_words(ctx, JS_RANGE_ERROR, \"start offset of %a should be a multiple of %d\",
                                      ctx->rt->class_array[classid].class_name, 1 << size_log2);
            if (offset > abuf->byte_length)
                return js_throw_words(ctx, JS_RANGE_ERROR, \"Start offset %v is outside the bounds of the buffer\", argv[1]);\n"
    ),
    word!(
        "                        goto invalid_length;
                len = (abuf->byte_length - offset) >> size_log2;\n",
        "                        return js_throw_words(ctx, JS_RANGE_ERROR, \"byte length of %a should be a multiple of %d\",
                                              ctx->rt->class_array[classid].class_name, 1 << size_log2);
                len = (abuf->byte_length - offset) >> size_log2;\n"
    ),
    word!(
        "                if ((offset + (len << size_log2)) > abuf->byte_length) {
                invalid_length:
                    return JS_ThrowRangeError(ctx, \"invalid length\");\n",
        "                if ((offset + (len << size_log2)) > abuf->byte_length) {
                    return js_throw_words(ctx, JS_RANGE_ERROR, \"Invalid typed array length: %v\", argv[2]);\n"
    ),
    word!(
        "        return JS_ThrowRangeError(ctx, \"invalid byteOffset\");\n",
        "        return js_throw_words(ctx, JS_RANGE_ERROR, \"Start offset %v is outside the bounds of the buffer\", argv[1]);\n"
    ),
    words!(2, "JS_ThrowRangeError(ctx, \"out of bound\")", "JS_ThrowRangeError(ctx, \"Offset is outside the bounds of the DataView\")"),
    // Built-in functions.
    word!(
        "    if (tag == JS_TAG_NULL || tag == JS_TAG_UNDEFINED)
        return JS_ThrowTypeError(ctx, \"null or undefined are forbidden\");\n",
        "    if (tag == JS_TAG_NULL || tag == JS_TAG_UNDEFINED) {
        const char *name = ctx->rt->current_stack_frame
            ? get_func_name(ctx, ctx->rt->current_stack_frame->cur_func) : NULL;
        js_throw_words(ctx, JS_TYPE_ERROR, \"String.prototype.%s called on null or undefined\", name ? name : \"\");
        JS_FreeCString(ctx, name);
        return JS_EXCEPTION;
    }\n"
    ),
    words!(4, "JS_ThrowTypeError(ctx, \"cannot convert to object\")", "JS_ThrowTypeError(ctx, \"Cannot convert undefined or null to object\")"),
    word!(
        "    executor = argv[0];
    if (check_function(ctx, executor))
        return JS_EXCEPTION;\n",
        "    executor = argv[0];
    if (!JS_IsFunction(ctx, executor))
        return js_throw_words(ctx, JS_TYPE_ERROR, \"Promise resolver %v is not a function\", executor);\n"
    ),
    word!(
        "    if (!JS_IsObject(this_val))
        return JS_ThrowTypeErrorNotAnObject(ctx);
    if (!is_reject && JS_GetOpaque(argv[0], JS_CLASS_PROMISE)) {\n",
        "    if (!JS_IsObject(this_val))
        return JS_ThrowTypeError(ctx, \"PromiseResolve called on non-object\");
    if (!is_reject && JS_GetOpaque(argv[0], JS_CLASS_PROMISE)) {\n"
    ),
    words!(2, "\"promise self resolution\"", "\"Chaining cycle detected for promise #<Promise>\""),
    word!(
        "        JS_VALUE_GET_TAG(handler) != JS_TAG_OBJECT) {
        return JS_ThrowTypeErrorNotAnObject(ctx);\n",
        "        JS_VALUE_GET_TAG(handler) != JS_TAG_OBJECT) {
        return JS_ThrowTypeError(ctx, \"Cannot create proxy with a non-object as target or handler\");\n"
    ),
    word!(
        "        return JS_ThrowTypeError(ctx, \"invalid value used as %s key\", is_set ? \"WeakSet\" : \"WeakMap\");\n",
        "        return JS_ThrowTypeError(ctx, \"%s\", is_set ? \"Invalid value used in weak set\" : \"Invalid value used as weak map key\");\n"
    ),
    word!("\"invalid value used as WeakMap key\"", "\"Invalid value used as weak map key\""),
    word!(
        "        JS_ThrowTypeError(ctx, \"Property description must be an object\");\n",
        "        js_throw_words(ctx, JS_TYPE_ERROR, \"Property description must be an object: %v\", desc);\n"
    ),
    word!(
        "            JS_ThrowTypeError(ctx, \"Getter must be a function\");\n",
        "            js_throw_words(ctx, JS_TYPE_ERROR, \"Getter must be a function: %v\", getter);\n"
    ),
    word!(
        "            JS_ThrowTypeError(ctx, \"Setter must be a function\");\n",
        "            js_throw_words(ctx, JS_TYPE_ERROR, \"Setter must be a function: %v\", setter);\n"
    ),
    word!(
        "        JS_ThrowTypeError(ctx, \"Invalid property descriptor. Cannot both specify accessors and a value or writable attribute\");\n",
        "        js_throw_words(ctx, JS_TYPE_ERROR, \"Invalid property descriptor. Cannot both specify accessors and a value or writable attribute, %v\", desc);\n"
    ),
    word!(
        "            JS_VALUE_GET_TAG(val) == JS_TAG_UNDEFINED)
            return JS_ThrowTypeErrorNotAnObject(ctx);
    }
    return JS_GetPrototype(ctx, val);\n",
        "            JS_VALUE_GET_TAG(val) == JS_TAG_UNDEFINED)
            return JS_ThrowTypeError(ctx, magic ? \"Reflect.getPrototypeOf called on non-object\"
                                     : \"Cannot convert undefined or null to object\");
    }
    return JS_GetPrototype(ctx, val);\n"
    ),
    word!(
        "        if (JS_VALUE_GET_TAG(proto_val) != JS_TAG_NULL) {
        not_obj:
            JS_ThrowTypeErrorNotAnObject(ctx);
            return -1;\n",
        "        if (JS_VALUE_GET_TAG(proto_val) != JS_TAG_NULL) {
            js_throw_words(ctx, JS_TYPE_ERROR, \"Object prototype may only be an Object or null: %v\", proto_val);
            return -1;
        not_obj:
            JS_ThrowTypeErrorNotAnObject(ctx);
            return -1;\n"
    ),
    word!(
        "        if (throw_flag) {
            JS_ThrowTypeError(ctx, \"object is not extensible\");\n",
        "        if (throw_flag) {
            js_throw_words(ctx, JS_TYPE_ERROR, \"%v is not extensible\", obj);\n"
    ),
    word!(
        "    return JS_ThrowTypeError(ctx, \"not an object\");\n}\n\nstatic JSValue JS_ThrowTypeErrorNotASymbol",
        "    return js_throw_not_object(ctx);\n}\n\nstatic JSValue JS_ThrowTypeErrorNotASymbol"
    ),
    word!("static void js_throw_pattern(JSContext *ctx, JSValueConst val);\n", "static void js_throw_pattern(JSContext *ctx, JSValueConst val);\nstatic JSValue js_throw_not_object(JSContext *ctx);\nstatic JSValue js_throw_set(JSContext *ctx, JSValueConst obj, JSAtom prop);\nstatic void js_throw_key(JSContext *ctx, JSValueConst obj, JSValueConst key);\nstatic void js_throw_no_setter(JSContext *ctx, JSValueConst obj, JSAtom prop);\nstatic void js_throw_private_method(JSContext *ctx, JSAtom prop);\nstatic void js_throw_uncallable(JSContext *ctx, JSValueConst val);\nstatic void js_throw_iterator_result(JSContext *ctx, JSValueConst val);\nstatic void js_throw_class_call(JSContext *ctx, JSValueConst func);\nstatic JSValue js_throw_needs_new(JSContext *ctx, JSValueConst func);\nstatic void js_throw_brand(JSContext *ctx, JSValueConst func);\nstatic JSValue js_throw_bigint(JSContext *ctx);\nstatic void js_throw_index(JSContext *ctx, JSValueConst val);\nstatic void js_throw_receiver(JSContext *ctx, JSValueConst val, JSClassID class_id);\n"),
    word!(
        "        return JS_ThrowRangeError(ctx, \"invalid number of digits\");
    if (fabs(d) >= 1e21)\n",
        "        return JS_ThrowRangeError(ctx, \"toFixed() digits argument must be between 0 and 100\");
    if (fabs(d) >= 1e21)\n"
    ),
    word!(
        "            return JS_ThrowRangeError(ctx, \"invalid number of digits\");\n",
        "            return JS_ThrowRangeError(ctx, \"toExponential() argument must be between 0 and 100\");\n"
    ),
    word!(
        "        return JS_ThrowRangeError(ctx, \"invalid number of digits\");\n",
        "        return JS_ThrowRangeError(ctx, \"toPrecision() argument must be between 1 and 100\");\n"
    ),
    word!(
        "    JS_ThrowRangeError(ctx, \"invalid code point\");\n fail:\n",
        "    js_throw_words(ctx, JS_RANGE_ERROR, \"Invalid code point %v\", argv[b ? i : 0]);\n fail:\n"
    ),
    word!(
        "return JS_ThrowTypeError(ctx, \"object prototype may only be an Object or null\");",
        "return js_throw_words(ctx, JS_TYPE_ERROR, \"Object prototype may only be an Object or null: %v\", argv[0]);"
    ),
    word!("\"circular prototype chain\"", "\"Cyclic __proto__ value\""),
    word!("\"regexp not supported\"", "\"First argument must not be a regular expression\""),
    word!(
        "            JS_ThrowTypeError(ctx, \"regexp must have the 'g' flag\");\n",
        "            const char *name = get_func_name(ctx, ctx->rt->current_stack_frame->cur_func);
            js_throw_words(ctx, JS_TYPE_ERROR, \"String.prototype.%s called with a non-global RegExp argument\", name ? name : \"\");
            JS_FreeCString(ctx, name);\n"
    ),
    word!("\"cannot invoke a running generator\"", "\"Generator is already running\""),
    word!(
        "        JS_ThrowRangeError(ctx, \"invalid array index\");\n",
        "        js_throw_index(ctx, val);\n"
    ),
    word!(
        "    if (unlikely(!p)) {
        JS_ThrowTypeErrorInvalidClass(ctx, class_id);
    }
    return p;\n",
        "    if (unlikely(!p)) {
        js_throw_receiver(ctx, obj, class_id);
    }
    return p;\n"
    ),
    word!(
        "        if (check_function(ctx, asc.method))
            goto exception;\n",
        "        if (!JS_IsFunction(ctx, asc.method)) {
            JS_ThrowTypeError(ctx, \"The comparison function must be either a function or undefined\");
            goto exception;
        }\n"
    ),
    word!(
        "    if (!JS_IsUndefined(argv[0]))
        if (check_function(ctx, argv[0]))
            return JS_EXCEPTION;

    ret = JS_EXCEPTION;
    arr = JS_UNDEFINED;\n",
        "    if (!JS_IsUndefined(argv[0]) && !JS_IsFunction(ctx, argv[0]))
        return JS_ThrowTypeError(ctx, \"The comparison function must be either a function or undefined\");

    ret = JS_EXCEPTION;
    arr = JS_UNDEFINED;\n"
    ),
    word!(
        "        key = JS_UNDEFINED;
        value = JS_UNDEFINED;
        if (!JS_IsObject(item)) {
            JS_ThrowTypeErrorNotAnObject(ctx);
            goto fail1;
        }
        key = JS_GetPropertyUint32(ctx, item, 0);\n",
        "        key = JS_UNDEFINED;
        value = JS_UNDEFINED;
        if (!JS_IsObject(item)) {
            js_throw_words(ctx, JS_TYPE_ERROR, \"Iterator value %v is not an entry object\", item);
            goto fail1;
        }
        key = JS_GetPropertyUint32(ctx, item, 0);\n"
    ),
    word!(
        "    if (check_function(ctx, this_val))
        return JS_EXCEPTION;
    this_arg = argv[0];
    array_arg = argv[1];\n",
        "    if (!JS_IsFunction(ctx, this_val))
        return magic == 1 ? js_throw_not_constructor(ctx, this_val) : js_throw_not_function(ctx, this_val);
    this_arg = argv[0];
    array_arg = argv[1];\n"
    ),
    word!("js_throw_URIError(ctx, \"expecting hex digit\")", "js_throw_URIError(ctx, \"URI malformed\")"),
    word!("js_throw_URIError(ctx, \"expecting %%\")", "js_throw_URIError(ctx, \"URI malformed\")"),
    word!("js_throw_URIError(ctx, \"malformed UTF-8\")", "js_throw_URIError(ctx, \"URI malformed\")"),
    word!("js_throw_URIError(ctx, \"invalid character\")", "js_throw_URIError(ctx, \"URI malformed\")"),
    words!(2, "js_throw_URIError(ctx, \"expecting surrogate pair\")", "js_throw_URIError(ctx, \"URI malformed\")"),
    word!(
        "                if (type == JS_THROW_VAR_RO)
                    JS_ThrowTypeErrorReadOnly(ctx, JS_PROP_THROW, atom);\n",
        "                if (type == JS_THROW_VAR_RO && JS_AtomGetKind(ctx, atom) == JS_ATOM_KIND_PRIVATE)
                    js_throw_private_method(ctx, atom);
                else
                if (type == JS_THROW_VAR_RO)
                    JS_ThrowTypeErrorReadOnly(ctx, JS_PROP_THROW, atom);\n"
    ),
    word!(
        "            JS_ThrowTypeError(ctx, \"proxy: defineProperty exception\");\n",
        "            js_throw_words(ctx, JS_TYPE_ERROR, \"'defineProperty' on proxy: trap returned falsish for property '%a'\", prop);\n"
    ),
    // Proxies.
    word!(
        "            JS_ThrowTypeError(ctx, \"proxy: cannot set property\");\n",
        "            js_throw_words(ctx, JS_TYPE_ERROR, \"'set' on proxy: trap returned falsish for property '%a'\", atom);\n"
    ),
    word!("\"revoked proxy\"", "\"Cannot perform operation on a proxy that has been revoked\""),
    // JSON.
    word!(
        "static int json_parse_error(JSParseState *s, const uint8_t *curp, const char *msg)
{
    const uint8_t *p, *line_start;
    int position = curp - s->buf_start;
    int line = 1;
    for (line_start = p = s->buf_start; p < curp; p++) {
        /* column count does not account for TABs nor wide characters */
        if (*p == '\\r' || *p == '\\n') {
            p += 1 + (p[0] == '\\r' && p[1] == '\\n');
            line++;
            line_start = p;
        }
    }
    return js_parse_error(s, \"%s in JSON at position %d (line %d column %d)\",
                          msg, position, line, (int)(p - line_start) + 1);
}\n",
        ""
    ),
    word!(
        " end_of_input:
    js_parse_error(s, \"Unexpected end of JSON input\");\n",
        " end_of_input:
    json_parse_error(s, s->buf_end, \"Unterminated string\");\n"
    ),
    word!(
        "        return js_parse_error(s, \"Unexpected token '%c'\", *p_start);\n",
        "        return json_unexpected(s, p_start);\n"
    ),
    word!(
        "            json_parse_error(s, p, \"No number after minus sign\");\n",
        "            json_parse_error(s, p + 1, \"No number after minus sign\");\n"
    ),
    word!(
        "        if (is_digit(p[1])) {
            json_parse_error(s, p, \"Unexpected number\");\n",
        "        if (is_digit(p[1])) {
            json_parse_error(s, p + 1, \"Unexpected number\");\n"
    ),
    word!(
        "            c = utf8_decode(p, &p_next);
            if (p_next == p + 1) {
                js_parse_error(s, \"Unexpected token '\\\\x%02x' in JSON\", *p);
            } else {
                if (c > 0xFFFF) {
                    c = get_hi_surrogate(c);
                }
                js_parse_error(s, \"Unexpected token '\\\\u%04x' in JSON\", c);
            }
            goto fail;\n",
        "            /* Left to the parser, which knows what it expects here. */
            c = utf8_decode(p, &p_next);
            s->token.val = 0x7f;
            p = p_next;
            break;\n"
    ),
    word!(
        "                        json_parse_error(s, s->token.ptr, \"Expected property name or '}'\");\n",
        "                        json_parse_error(s, s->token.ptr, is_first ? \"Expected property name or '}'\"
                                         : \"Expected double-quoted property name\");\n"
    ),
    word!(
        "                        json_parse_error(s, s->token.ptr, \"Expected ':' after property name\");\n",
        "                        if (is_first)
                            json_parse_error(s, s->token.ptr, \"Expected ':' after property name\");
                        else
                            json_unexpected(s, s->token.ptr);\n"
    ),
    word!(
        "                        json_parse_error(s, s->token.ptr, \"Expected ',' or '}' after property value\");
                        goto fail;
                    }\n",
        "                        json_parse_error(s, s->token.ptr, \"Expected ',' or '}' after property value\");
                        goto fail;
                    }
                    is_first = false;\n"
    ),
    word!(
        "            JSONParseRecord *pr1;
            int pr_size;

            if (json_next_token(s))
                goto fail;
            val = JS_NewObject(ctx);\n",
        "            JSONParseRecord *pr1;
            int pr_size;
            bool is_first = true;

            if (json_next_token(s))
                goto fail;
            val = JS_NewObject(ctx);\n"
    ),
    word!(
        "        if (s->token.val == TOK_EOF) {
            js_parse_error(s, \"Unexpected end of JSON input\");
        } else {
            js_parse_error(s, \"unexpected token: '%.*s'\",
                           (int)(s->buf_ptr - s->token.ptr), s->token.ptr);
        }\n",
        "        if (s->token.val == TOK_IDENT)
            json_unexpected_word(s, s->token.ptr);
        else
            json_unexpected(s, s->token.ptr);\n"
    ),
    word!(
        "        if (js_parse_error(s, \"unexpected data at the end\")) {\n",
        "        DynBuf d;
        js_dbuf_init(ctx, &d);
        dbuf_printf(&d, \"Unexpected non-whitespace character after JSON at position %d\",
                    json_units(s->buf_start, s->token.ptr));
        if (json_throw(s, &d)) {\n"
    ),
    word!(
        "            JS_ThrowTypeError(ctx, \"circular reference\");
            goto exception;\n",
        "            json_throw_circular(ctx, jsc->stack, val);
            goto exception;\n"
    ),
    word!("\"BigInt are forbidden in JSON.stringify\"", "\"Do not know how to serialize a BigInt\""),
    // Syntax.
    word!(
        "static int js_parse_expect(JSParseState *s, int tok)
{
    char buf[ATOM_GET_STR_BUF_SIZE];

    if (s->token.val == tok)
        return next_token(s);

    switch(s->token.val) {\n",
        "static int js_parse_unexpected(JSParseState *s);

static int js_parse_expect(JSParseState *s, int tok)
{
    if (s->token.val == tok)
        return next_token(s);
    return js_parse_unexpected(s);
}

static int js_parse_unexpected(JSParseState *s)
{
    char buf[ATOM_GET_STR_BUF_SIZE];
    const uint8_t *p = s->token.ptr;

    while (p > s->buf_start && p[-1] == ' ')
        p--;
    if (s->token.val != TOK_EOF && p - s->buf_start >= 5 && p < s->token.ptr && !memcmp(p - 5, \"await\", 5))
        return js_parse_error(s, \"await is only valid in async functions and the top level bodies of modules\");
    switch(s->token.val) {
    case '@':
        return js_parse_error(s, \"Invalid or unexpected token\");\n"
    ),
    word!("js_parse_error(s, \"expecting '%c'\", ';')", "js_parse_unexpected(s)"),
    word!("js_parse_error(s, \"expecting '%c'\", '}')", "js_parse_unexpected(s)"),
    word!(
        "js_parse_error(s, \"unexpected token in expression: '%.*s'\",
                              (int)(s->buf_ptr - s->token.ptr), s->token.ptr)",
        "js_parse_unexpected(s)"
    ),
    word!("js_parse_error(s, \"invalid property name\")", "js_parse_unexpected(s)"),
    word!("js_parse_error(s, \"class statement requires a name\")", "js_parse_unexpected(s)"),
    word!("js_parse_error(s, \"expecting field name\")", "js_parse_unexpected(s)"),
    word!("js_parse_error(s, \"function name expected\")", "js_parse_unexpected(s)"),
    words!(2, "js_parse_error(s, \"variable name expected\")", "js_parse_unexpected(s)"),
    word!("js_parse_error(s, \"missing formal parameter\")", "js_parse_unexpected(s)"),
    word!("js_parse_error(s, \"invalid switch statement\")", "js_parse_unexpected(s)"),
    word!(
        " unexpected_eof:
    js_parse_error(s, \"unexpected end of string\");\n",
        " unexpected_eof:
    js_parse_error(s, \"Unterminated template literal\");\n"
    ),
    word!("\"unexpected end of string\"", "\"Invalid or unexpected token\""),
    word!("\"unexpected end of comment\"", "\"Invalid or unexpected token\""),
    word!("\"unexpected character\"", "\"Invalid or unexpected token\""),
    word!("\"invalid number literal\"", "\"Invalid or unexpected token\""),
    word!("\"unexpected end of regexp\"", "\"Invalid regular expression: missing /\""),
    word!("\"unexpected line terminator in regexp\"", "\"Invalid regular expression: missing /\""),
    word!("\"invalid assignment left-hand side\"", "\"Invalid left-hand side in assignment\""),
    word!("\"invalid increment/decrement operand\"", "\"Invalid left-hand side expression in postfix operation\""),
    word!("\"invalid for in/of left hand-side\"", "\"Invalid left-hand side in for-loop\""),
    words!(3, "\"invalid destructuring target\"", "\"Invalid destructuring assignment target\""),
    word!("\"continue must be inside loop\"", "\"Illegal continue statement: no surrounding iteration statement\""),
    word!("\"break must be inside loop or switch\"", "\"Illegal break statement\""),
    word!(
        "        return js_parse_error(s, \"break/continue label not found\");\n",
        "        char buf[ATOM_GET_STR_BUF_SIZE];
        return js_parse_error(s, \"Undefined label '%s'\", JS_AtomGetStr(s->ctx, buf, sizeof(buf), name));\n"
    ),
    word!("\"return not in a function\"", "\"Illegal return statement\""),
    word!("\"line terminator not allowed after throw\"", "\"Illegal newline after throw\""),
    word!("\"expecting catch or finally\"", "\"Missing catch or finally after try\""),
    word!("\"unexpected 'await' keyword\"", "\"await is only valid in async functions and the top level bodies of modules\""),
    words!(2, "\"'let' is not a valid lexical identifier\"", "\"let is disallowed as a lexically bound name\""),
    word!("\"missing initializer for variable\"", "\"Missing initializer in const declaration\""),
    word!("\"import.meta only valid in module code\"", "\"Cannot use 'import.meta' outside a module\""),
    word!("\"super() is only valid in a derived class constructor\"", "\"'super' keyword unexpected here\""),
    word!("\"'super' is only valid in a method\"", "\"'super' keyword unexpected here\""),
    word!("\"invalid use of 'super'\"", "\"'super' keyword unexpected here\""),
    word!("\"new.target only allowed within functions\"", "\"new.target expression is not allowed here\""),
    words!(3, "\"lexical declarations can't appear in single-statement context\"", "\"Lexical declaration cannot appear in a single-statement context\""),
    word!("\"invalid method name\"", "\"Classes may not have a static property named 'prototype'\""),
    word!("\"property constructor appears more than once\"", "\"A class may only have one constructor\""),
    word!("\"rest element must be the last one\"", "\"Rest element must be last element\""),
    word!("\"assignment rest property must be last\"", "\"Rest element must be last element\""),
    word!("\"cannot delete a direct reference in strict mode\"", "\"Delete of an unqualified identifier in strict mode.\""),
    word!(
        "        JS_ThrowSyntaxErrorAtom(ctx, \"undefined private field '%s'\",\n",
        "        JS_ThrowSyntaxErrorAtom(ctx, \"Private field '%s' must be declared in an enclosing class\",\n"
    ),
    word!(
        "        JS_ThrowSyntaxError(ctx, \"Could not find export '%s' in module '%s'\",
                            JS_AtomGetStr(ctx, buf1, sizeof(buf1), export_name),
                            JS_AtomGetStr(ctx, buf2, sizeof(buf2), m->module_name));\n",
        "        JS_ThrowSyntaxError(ctx, \"The requested module '%s' does not provide an export named '%s'\",
                            JS_AtomGetStr(ctx, buf2, sizeof(buf2), m->module_name),
                            JS_AtomGetStr(ctx, buf1, sizeof(buf1), export_name));\n"
    ),
    words!(2, "js_parse_error(s, \"invalid redefinition of lexical identifier\")", "js_parse_declared(s, name)"),
    word!("js_parse_error(s, \"invalid redefinition of parameter name\")", "js_parse_declared(s, name)"),
    word!("js_parse_error(s, \"invalid redefinition of a variable\")", "js_parse_declared(s, name)"),
    word!("return js_parse_error(s, \"invalid redefinition of global identifier\")", "return js_parse_declared(s, name)"),
    word!(
        "static int js_parse_unexpected(JSParseState *s);\n\n",
        "static int js_parse_unexpected(JSParseState *s);

static int js_parse_declared(JSParseState *s, JSAtom name)
{
    char buf[ATOM_GET_STR_BUF_SIZE];
    return js_parse_error(s, \"Identifier '%s' has already been declared\",
                          JS_AtomGetStr(s->ctx, buf, sizeof(buf), name));
}\n\n"
    ),
    // An argument list that does not end.
    word!(
        "                /* accept a trailing comma before the ')' */
                if (js_parse_expect(s, ','))
                    return -1;
            }
            if (s->token.val == TOK_ELLIPSIS) {\n",
        "                /* accept a trailing comma before the ')' */
                if (s->token.val != ',')
                    return js_parse_error(s, \"missing ) after argument list\");
                if (next_token(s))
                    return -1;
            }
            if (s->token.val == TOK_ELLIPSIS) {\n"
    ),
    // Positions in stack traces: a call is where its last name is, or its parenthesis; `new` is
    // where it begins; a property is where its name is. Preludes have no such positions: they would
    // only make the image longer.
    word!(
        "    FuncCallType call_type;
    int optional_chaining_label;
    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;\n",
        "    FuncCallType call_type;
    int optional_chaining_label;
    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;
    bool has_positions = strncmp(s->filename, \"cofferdam:\", 10) != 0;
    int first_line_num = s->token.line_num;
    int first_col_num = (int)(s->token.ptr - s->token.line_start) + 1;
    int name_line_num = first_line_num;
    int name_col_num = first_col_num;
    int call_line_num, call_col_num;\n"
    ),
    word!(
        "        parse_func_call:
            if (next_token(s))
                return -1;\n",
        "        parse_func_call:
            call_line_num = s->token.line_num;
            call_col_num = (int)(s->token.ptr - s->token.line_start) + 1;
            if (next_token(s))
                return -1;\n"
    ),
    word!(
        "            parse_func_call2:
                emit_source_loc(s);
                switch(opcode = get_prev_opcode(fd)) {\n",
        "            parse_func_call2:
                switch(opcode = get_prev_opcode(fd)) {
                case OP_get_field:
                case OP_get_field_opt_chain:
                case OP_scope_get_private_field:
                case OP_scope_get_var:
                case OP_get_super_value:
                    call_line_num = name_line_num;
                    call_col_num = name_col_num;
                    break;
                default:
                    if (call_type == FUNC_CALL_TEMPLATE) {
                        call_line_num = name_line_num;
                        call_col_num = name_col_num;
                    }
                    break;
                }
                emit_source_loc_at(s, call_line_num, call_col_num);
                switch(opcode = get_prev_opcode(fd)) {\n"
    ),
    word!(
        "            } else {
                opcode = OP_invalid;
            }

            if (call_type == FUNC_CALL_TEMPLATE) {\n",
        "            } else {
                opcode = OP_invalid;
                call_line_num = first_line_num;
                call_col_num = first_col_num;
            }

            if (call_type == FUNC_CALL_TEMPLATE) {\n"
    ),
    word!(
        "                /* drop the index */
                emit_op(s, OP_drop);

                /* apply function call */\n",
        "                /* drop the index */
                emit_op(s, OP_drop);

                if (has_positions)
                    emit_source_loc_at(s, call_line_num, call_col_num);
                /* apply function call */\n"
    ),
    word!(
        "            emit_func_call:
                switch(opcode) {\n",
        "            emit_func_call:
                if (has_positions)
                    emit_source_loc_at(s, call_line_num, call_col_num);
                switch(opcode) {\n"
    ),
    word!(
        "            if (s->token.val != '(') {
                /* new operator on an object */
                emit_op(s, OP_dup);\n",
        "            if (s->token.val != '(') {
                /* new operator on an object */
                emit_source_loc_at(s, first_line_num, first_col_num);
                emit_op(s, OP_dup);\n"
    ),
    word!(
        "        parse_property:
            if (s->token.val == TOK_PRIVATE_NAME) {\n",
        "        parse_property:
            name_line_num = s->token.line_num;
            name_col_num = (int)(s->token.ptr - s->token.line_start) + 1;
            if (has_positions)
                emit_source_loc_at(s, name_line_num, name_col_num);
            if (s->token.val == TOK_PRIVATE_NAME) {\n"
    ),
    // Regular expressions.
    word!(
        "            bad_flags:
                JS_FreeCString(ctx, str);
                return JS_ThrowSyntaxError(ctx, \"invalid regular expression flags\");\n",
        "            bad_flags:
                JS_FreeCString(ctx, str);
                return js_throw_words(ctx, JS_SYNTAX_ERROR, \"Invalid flags supplied to RegExp constructor '%v'\", flags);\n"
    ),
    word!(
        "            return JS_ThrowSyntaxError(ctx, \"invalid regular expression flags\");\n",
        "            return js_throw_words(ctx, JS_SYNTAX_ERROR, \"Invalid flags supplied to RegExp constructor '%v'\", flags);\n"
    ),
    word!(
        "        JS_ThrowSyntaxError(ctx, \"%s\", error_msg);\n",
        "        if (JS_IsUndefined(flags))
            js_throw_words(ctx, JS_SYNTAX_ERROR, \"Invalid regular expression: /%v/: %s\", pattern, error_msg);
        else
            js_throw_words(ctx, JS_SYNTAX_ERROR, \"Invalid regular expression: /%v/%v: %s\", pattern, flags, error_msg);\n"
    ),
    pattern!(2, "\"nothing to repeat\"", "\"Nothing to repeat\""),
    pattern!(1, "\"invalid repetition count\"", "\"numbers out of order in {} quantifier\""),
    pattern!(2, "\"invalid group name\"", "\"Invalid capture group name\""),
    pattern!(1, "\"duplicate group name\"", "\"Duplicate capture group name\""),
    pattern!(1, "\"invalid group\"", "\"Invalid group\""),
    pattern!(1, "\"expecting group name\"", "\"Invalid named reference\""),
    pattern!(1, "\"group name not defined\"", "\"Invalid named capture referenced\""),
    pattern!(1, "\"invalid class range\"", "\"Range out of order in character class\""),
    pattern!(
        1,
        "re_parse_error(s, \"unexpected end\")",
        "re_parse_error(s, \"%s\", s->buf_end > s->buf_start && s->buf_end[-1] == '\\\\' ? \"\\\\ at end of pattern\" : \"Unterminated character class\")"
    ),
    pattern!(2, "\"syntax error\"", "\"Lone quantifier brackets\""),
    pattern!(1, "\"invalid escape sequence in regular expression\"", "\"Invalid escape\""),
    pattern!(1, "\"invalid decimal escape in regular expression\"", "\"Invalid decimal escape\""),
    pattern!(1, "\"back reference out of range in regular expression\"", "\"Invalid escape\""),
    pattern!(1, "\"unknown unicode property value\"", "\"Invalid property name\""),
    pattern!(1, "\"unknown unicode script\"", "\"Invalid property name\""),
    pattern!(1, "\"unknown unicode general category\"", "\"Invalid property name\""),
    pattern!(1, "\"unknown unicode property name\"", "\"Invalid property name\""),
    pattern!(1, "\"expecting '{' after \\\\p\"", "\"Invalid property name\""),
    pattern!(1, "\"extraneous characters at the end\"", "\"Unmatched ')'\""),
    pattern!(1, "\"invalid character in class in regular expression\"", "\"Invalid character in character class\""),
    pattern!(1, "\"too many captures\"", "\"Too many captures\""),
    pattern!(
        1,
        "        return re_parse_error(s, \"expecting '%c'\", c);\n",
        "        return re_parse_error(s, c == ')' ? \"Unterminated group\" : \"Invalid escape\");\n"
    ),
];
