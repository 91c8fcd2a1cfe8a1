# Backslashes of unquoted values escape in patterns.
touch Zf 'Z\f'; v='\*'; echo Z$v; v='*'; echo Z$v
mkdir t1; touch t1/name; v='t*/\name'; echo $v; v='t*/\nope'; echo $v
# Lines of here-documents are joined before the delimiter is looked for.
cat <<EOF
a\
b
EO\
F
cat <<-EOF
	a\
	b
	EOF
cat <<EOF
`echo 'x\"y'`
EOF
# Line continuation inside expansions.
set -- 1 22 333
echo $\
{\
#\
3\
} "$\
(echo ok)"
# Syntax errors in backquotes count when they run.
echo _`echo "`_ 2>/dev/null
# Tildes before a colon.
HOME=/h; echo ~:x; a=(~:~); echo ${a[0]}
# nocasematch is for case, [[ and ${x/}.
shopt -s nocasematch; x=aBc; echo ${x#A} ${x^^b} ${x/B/-}; [[ a = A ]] && echo same; shopt -u nocasematch
# GLOBIGNORE has colons in classes.
touch g1 gx; GLOBIGNORE='g[[:digit:]]:h*'; echo g*; unset GLOBIGNORE
# Arithmetic, patterns, loops.
a=3; echo $(((a)+++3)) $a
case / in [\/]) echo slash;; esac
for i in 1 2; do until continue; do :; done; echo $i; done
false; while echo $?; [ -z "$e" ]; do e=1; false; continue; done
(eval 'readonly q=1; q=2; echo no'; echo no) 2>/dev/null; echo $?
bash -c 'echo a; set -n; echo no'
# The line of a command is that of its second word.
echo "a
b" $LINENO
