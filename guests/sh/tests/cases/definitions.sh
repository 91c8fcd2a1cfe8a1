# Definitions are printed as bash prints them: words as written, substitutions laid out again.
all() { [[ a = b && ( c == d || ! -f e ) ]]; [[ -n x ]]; [[ x ]]; [[ ! x ]]; for ((i=0;i<3;i++)) { a; }; for ((;;)); do b; done; select x in a b; do c; done; for y; do d; done; a & b & c; { d; } & e; ! a; ! ! b; time a; time -p b; time; coproc X { a; b; }; coproc a b; case x in a|b) ;; (c) d;& e) f; g;;& esac; if a; then b; elif c; then d; else e; fi; while a; b; do c; done; until a; do b; done; f2() { a; }; function f3 { b; } ; f4() ( c; d ); a 2>&1 >/dev/null 1>x 0<y 2>z >&2 <&3 >&- 3<&- 4<>f <>g &>h &>>i >|j <<<k {fd}>l 3>&1-; a=1 b[2]=3 c=(1 [2]=3 "x") d+=4 e; a "b$c" 'd' $'e\tf' $"g" \h `i` $(j; k) $((1+2)) $[3+4] ${l} $m ${n:-o} ${p[@]} ${#q} {r,s} {1..3} {01..3} ~ * ?(t) <(u;v) >(v; w) "$(x "$(y)")" "${z:-"a b"}" 'a''b' a'b'\c "$1x${2}y$3_" a\
b "c\
d"; (( a + "b" )); (a;b); ( (a) ); { { a; }; }; a | b |& c; a && b || c; [[ a =~ ^(b|c\ d)$ ]]; }
declare -f all
substitutions() { echo "$(if a; then b; fi
c)" $(a
b) $( (a) ) $(<f) "$(case x in a) b;; esac)" $(for i in a b; do c; done) \x$(while a; do b; done) $({ a; b; }) $(a & b) $(f(){ x; }; f) `a; b` "\"$(a
b)`c`$(d;   e)" $(cat <<E
x
E
) ; }
declare -f substitutions
a() ( a; b )
b() for i in 1; do a; b; done
c() if a; then b; fi
d() [[ a ]]
e() ((1))
f() { a; } >x 2>&1
g() { { a; b; } >x; ( a ) 2>y; if a; then b; fi <z; }
declare -f a b c d e f g

# A here-document takes the semicolon after the next command only in some places.
h() { z
while a; do b; done <<-E
x
E
a
b
c
}
i() { cat <<E && a
x
E
b
c
cat <<E &
y
E
d
e
}
j() { if cat <<E
x
E
then q; r; fi
while x <<E
z
E
do y; done
d
e
}
k() { cat <<E
x
E
a
b
for x in a; do b; cat <<E
y
E
done
c
d
}
declare -f h i j k
declare -ft k
declare -f k
export -f k
bash -c 'k() { :; }; declare -f k'

# Texts of commands outside a definition.
trap 'echo "$BASH_COMMAND"' DEBUG
{ :; : $(: a
: b); }
x=1 : 1> /dev/null
[[ a = a ]]
case a in a) :;; esac
trap - DEBUG
declare -f | grep '^declare'
