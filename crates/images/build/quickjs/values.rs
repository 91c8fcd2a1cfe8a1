//! Changes that let values be shown as V8 shows them: the name of a date's time zone, and what is
//! left in an iterator of a `Map` or `Set`.

use super::package::Change;

pub(crate) const CHANGES: &[Change] = &[
    // A tool's time zone is UTC, and V8 writes its name after the offset.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "                            \"%02d%02d\", tz / 60, tz % 60);
            /* XXX: tack the time zone code? */\n",
        to: "                            \"%02d%02d\", tz / 60, tz % 60);
            if (tz == 0)
                pos += snprintf(buf + pos, sizeof(buf) - pos,
                                \" (Coordinated Universal Time)\");\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "    // _string(obj, fmt, part)\n    char buf[64];\n",
        to: "    // _string(obj, fmt, part)\n    char buf[128];\n",
    },
    // Returns the items that an iterator has left, without taking them: whether they are pairs, how
    // many there are, and at most as many of them as the second argument says. Undefined for
    // another value. The prelude takes the function off `Map` before a tool runs.
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "static JSValue js_map_read(BCReaderState *s, int magic)\n",
        to: "static JSValue js_map_iterator_rest(JSContext *ctx, JSValueConst this_val,
                                    int argc, JSValueConst *argv)
{
    JSMapIteratorData *it;
    JSMapState *s;
    JSMapRecord *mr;
    struct list_head *el;
    JSValueConst pair[2];
    JSValue rest, item;
    int magic;
    uint32_t limit, count = 0, at = 2;

    for (magic = 0; magic < 2; magic++) {
        it = JS_GetOpaque(argv[0], JS_CLASS_MAP_ITERATOR + magic);
        if (it)
            break;
    }
    if (magic == 2)
        return JS_UNDEFINED;
    if (JS_ToUint32(ctx, &limit, argv[1]))
        return JS_EXCEPTION;
    rest = JS_NewArray(ctx);
    if (JS_IsException(rest))
        return rest;
    if (!JS_IsUndefined(it->obj)) {
        s = JS_GetOpaque(it->obj, JS_CLASS_MAP + magic);
        el = it->cur_record ? it->cur_record->link.next : s->records.next;
        for (; el != &s->records; el = el->next) {
            mr = list_entry(el, JSMapRecord, link);
            if (mr->empty || count++ >= limit)
                continue;
            pair[0] = mr->key;
            pair[1] = magic ? mr->key : mr->value;
            if (it->kind == JS_ITERATOR_KIND_KEY_AND_VALUE)
                item = js_create_array(ctx, 2, pair);
            else
                item = js_dup(pair[it->kind == JS_ITERATOR_KIND_VALUE]);
            if (JS_IsException(item) ||
                JS_DefinePropertyValueUint32(ctx, rest, at++, item, JS_PROP_C_W_E) < 0)
                goto fail;
        }
    }
    if (JS_DefinePropertyValueUint32(ctx, rest, 0,
            js_bool(it->kind == JS_ITERATOR_KIND_KEY_AND_VALUE), JS_PROP_C_W_E) < 0 ||
        JS_DefinePropertyValueUint32(ctx, rest, 1, js_uint32(count), JS_PROP_C_W_E) < 0)
        goto fail;
    return rest;
 fail:
    JS_FreeValue(ctx, rest);
    return JS_EXCEPTION;
}

static JSValue js_map_read(BCReaderState *s, int magic)\n",
    },
    Change {
        file: "quickjs/quickjs.c",
        times: 1,
        from: "    JS_CFUNC_DEF(\"groupBy\", 2, js_map_groupBy ),
    JS_CGETSET_DEF(\"[Symbol.species]\", js_get_this, NULL ),\n",
        to: "    JS_CFUNC_DEF(\"groupBy\", 2, js_map_groupBy ),
    JS_CFUNC_DEF(\"cofferdamRest\", 2, js_map_iterator_rest ),
    JS_CGETSET_DEF(\"[Symbol.species]\", js_get_this, NULL ),\n",
    },
];
