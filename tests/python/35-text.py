import string, textwrap, unicodedata, difflib
text = "The quick brown fox jumps over the lazy dog. " * 3
print(textwrap.fill(text, 40, initial_indent="* ", subsequent_indent="  "))
print(unicodedata.normalize("NFD", "é").encode("utf-8"), unicodedata.name("ß"), "straße".upper(), "ǅ".lower())
print("naïve café".encode("ascii", "replace"), b"\xe9".decode("latin-1"), "日本語"[::-1], len("👩‍👩‍👧"))
print(string.Template("$who likes ${what}").substitute(who="tim", what="kung pao"))
print("a,b,,c".split(","), "  x ".strip(), "x".center(5, "*"), "abc".translate(str.maketrans("ab", "xy")))
print("\n".join(difflib.unified_diff(["one", "two"], ["one", "three"], lineterm="")))
print("{:>10} {:<5}|{:+d} {:e}".format("right", "left", 5, 12345.678), "%s is %05.1f%%" % ("x", 3.14159))
