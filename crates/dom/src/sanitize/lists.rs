//! What is known of elements and attributes.

/// Elements that stay.
pub(super) fn is_kept(local: &str) -> bool {
    matches!(
        local,
        "a" | "abbr"
            | "address"
            | "article"
            | "aside"
            | "b"
            | "bdi"
            | "bdo"
            | "blockquote"
            | "br"
            | "button"
            | "caption"
            | "center"
            | "cite"
            | "code"
            | "col"
            | "colgroup"
            | "data"
            | "dd"
            | "del"
            | "details"
            | "dfn"
            | "div"
            | "dl"
            | "dt"
            | "em"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "i"
            | "img"
            | "input"
            | "ins"
            | "kbd"
            | "label"
            | "legend"
            | "li"
            | "main"
            | "mark"
            | "menu"
            | "meter"
            | "nav"
            | "ol"
            | "optgroup"
            | "option"
            | "output"
            | "p"
            | "pre"
            | "progress"
            | "q"
            | "rp"
            | "rt"
            | "ruby"
            | "s"
            | "samp"
            | "search"
            | "section"
            | "select"
            | "small"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "summary"
            | "sup"
            | "table"
            | "tbody"
            | "td"
            | "textarea"
            | "tfoot"
            | "th"
            | "thead"
            | "time"
            | "tr"
            | "tt"
            | "u"
            | "ul"
            | "var"
            | "wbr"
    )
}

/// Elements that go with what is in them: code, other documents, or text that is read in other
/// ways elsewhere.
pub(super) fn is_swallowed(local: &str) -> bool {
    matches!(
        local,
        "applet"
            | "audio"
            | "base"
            | "embed"
            | "frame"
            | "frameset"
            | "head"
            | "iframe"
            | "link"
            | "math"
            | "meta"
            | "noembed"
            | "noframes"
            | "noscript"
            | "object"
            | "param"
            | "plaintext"
            | "portal"
            | "script"
            | "selectedcontent"
            | "source"
            | "style"
            | "svg"
            | "template"
            | "title"
            | "track"
            | "video"
            | "xmp"
    )
}

/// Attributes that every element may have; `aria-*` and `data-*` besides.
pub(super) fn is_global(name: &str) -> bool {
    matches!(
        name,
        "class" | "dir" | "hidden" | "id" | "lang" | "role" | "tabindex" | "title" | "translate"
    )
}

/// Attributes that some elements may have and that are no addresses.
pub(super) fn is_for(local: &str, name: &str) -> bool {
    match name {
        "alt" => matches!(local, "img" | "input"),
        "width" | "height" => matches!(local, "img" | "table" | "td" | "th" | "col"),
        "colspan" | "rowspan" | "headers" | "scope" | "abbr" => matches!(local, "td" | "th"),
        "align" | "valign" | "border" | "cellpadding" | "cellspacing" | "summary" => {
            matches!(local, "table" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr" | "img")
        }
        "span" => matches!(local, "col" | "colgroup"),
        "start" | "reversed" | "type" if local == "ol" => true,
        "type" => matches!(local, "input" | "button" | "ul" | "li"),
        "value" => matches!(
            local,
            "button" | "data" | "input" | "li" | "meter" | "option" | "progress" | "textarea"
        ),
        "name" => matches!(
            local,
            "button" | "fieldset" | "form" | "input" | "output" | "select" | "textarea" | "details"
        ),
        "checked" | "max" | "maxlength" | "min" | "minlength" | "pattern" | "placeholder"
        | "readonly" | "required" | "size" | "step" | "autocomplete" => {
            matches!(local, "input" | "textarea" | "select" | "meter" | "progress")
        }
        "cols" | "rows" | "wrap" => local == "textarea",
        "disabled" => matches!(
            local,
            "button" | "fieldset" | "input" | "optgroup" | "option" | "select" | "textarea"
        ),
        "for" => matches!(local, "label" | "output"),
        "label" => matches!(local, "optgroup" | "option"),
        "multiple" => local == "select",
        "selected" => local == "option",
        "open" => local == "details",
        "datetime" => matches!(local, "del" | "ins" | "time"),
        "high" | "low" | "optimum" => local == "meter",
        "loading" | "decoding" => local == "img",
        "method" => local == "form",
        _ => false,
    }
}

/// Attributes that are addresses.
pub(super) fn is_address(local: &str, name: &str) -> bool {
    match name {
        "href" => local == "a",
        "src" => local == "img",
        "action" => local == "form",
        "cite" => matches!(local, "blockquote" | "del" | "ins" | "q"),
        _ => false,
    }
}

/// Names that, as an id or name of an element, hide a property that the page's own scripts use.
pub(super) fn clobbers(name: &str) -> bool {
    name.starts_with("__")
        || matches!(
            name,
            "action"
                | "acceptCharset"
                | "activeElement"
                | "addEventListener"
                | "adoptNode"
                | "all"
                | "anchors"
                | "append"
                | "appendChild"
                | "attributes"
                | "baseURI"
                | "body"
                | "childElementCount"
                | "childNodes"
                | "children"
                | "classList"
                | "className"
                | "cloneNode"
                | "close"
                | "constructor"
                | "contains"
                | "contentType"
                | "cookie"
                | "createElement"
                | "createTextNode"
                | "currentScript"
                | "defaultView"
                | "dispatchEvent"
                | "doctype"
                | "document"
                | "documentElement"
                | "documentURI"
                | "domain"
                | "elements"
                | "embeds"
                | "encoding"
                | "enctype"
                | "firstChild"
                | "firstElementChild"
                | "focus"
                | "forms"
                | "getAttribute"
                | "getElementById"
                | "getElementsByClassName"
                | "getElementsByName"
                | "getElementsByTagName"
                | "head"
                | "images"
                | "implementation"
                | "innerHTML"
                | "insertBefore"
                | "lastChild"
                | "length"
                | "links"
                | "localStorage"
                | "location"
                | "method"
                | "nextSibling"
                | "nodeName"
                | "nodeType"
                | "nodeValue"
                | "open"
                | "outerHTML"
                | "ownerDocument"
                | "parentElement"
                | "parentNode"
                | "plugins"
                | "previousSibling"
                | "prototype"
                | "querySelector"
                | "querySelectorAll"
                | "readyState"
                | "referrer"
                | "remove"
                | "removeAttribute"
                | "removeChild"
                | "removeEventListener"
                | "replaceChild"
                | "reset"
                | "scripts"
                | "sessionStorage"
                | "setAttribute"
                | "style"
                | "styleSheets"
                | "submit"
                | "tagName"
                | "target"
                | "textContent"
                | "title"
                | "toString"
                | "URL"
                | "valueOf"
                | "window"
                | "write"
                | "writeln"
        )
}
