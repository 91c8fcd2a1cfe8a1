# Redirections, here-documents, descriptors, process substitution.
echo one > f; echo two >> f; cat < f; cat f - <<EOF
three $((1+3)) $(echo sub) \$literal
EOF
cat <<'EOF'
$not expanded `at all`
EOF
cat <<-EOF
	tabs go
		away
	EOF
{ echo out; echo err >&2; } 2>&1 | sort; { echo out; echo err >&2; } > both 2>&1; sort both
echo both &> f2; cat f2; echo more &>> f2; wc -l < f2
exec 3> g; echo to three >&3; exec 3>&-; cat g; exec 4< g; read -r line <&4; echo "$line"; exec 4<&-
exec {fd}> h; echo $((fd >= 10)); echo named >&$fd; exec {fd}>&-; cat h
set -C; echo no > f 2>/dev/null; echo $?; echo yes >| f; cat f; set +C
cat <(echo from process) <(echo twice); diff <(printf 'a\nb\n') <(printf 'a\nc\n'); echo $?
echo text > >(tr a-z A-Z); sleep 0.1; read -r x < <(echo "read me"); echo "$x"
mapfile -t lines < <(printf '%s\n' a 'b c' d); echo "${#lines[@]} ${lines[1]}"
while read -r l; do echo "<$l>"; done < f; for i in 1 2; do echo $i; done > loop; cat loop
f() { cat; } <<< "function here"; f; echo "x" | { read -r y; echo "got $y"; }
printf '%s\n' a b c | while read -r l; do n=$l; done; echo "n=$n"; shopt -s lastpipe; echo z | read -r n; echo "n=$n"
echo a > /nonexistent/dir/f 2>/dev/null; echo $?; cat nosuch 2>/dev/null || echo missing
touch a1 a2 b1 .hid; echo a* [ab]1 ?1 *.none; shopt -s nullglob dotglob; echo *.none .h*; shopt -u nullglob dotglob
mkdir -p d/e; touch d/e/deep d/top; shopt -s globstar; echo d/**; cd d; pwd | sed 's/.*\///'; cd - > /dev/null; echo back
coproc { while read -r l; do echo "got $l"; done; echo end >&2; } 2>/dev/null
echo one >&${COPROC[1]}; read -r -u ${COPROC[0]} x; echo "$x ${#COPROC[@]}"; p=$COPROC_PID; [ "$p" = $! ] && echo same pid
echo two >&${COPROC[1]}; exec {COPROC[1]}>&-; echo ${COPROC[1]}; cat <&${COPROC[0]}; wait $p; echo $? "${COPROC[@]-unset}"
coproc NAMED { tr a-z A-Z; }; echo up >&${NAMED[1]}; eval "exec ${NAMED[1]}>&-"; cat <&${NAMED[0]}; wait; echo "${NAMED[0]-gone} ${NAMED_PID-gone}"
coproc echo simple; read -r x <&"${COPROC[0]}"; echo $x; wait
coproc cat; (echo x >&${COPROC[1]}) 2>/dev/null || echo not in subshells; exec {COPROC[1]}>&-; wait
exec {fds[3]}>g; echo ${!fds[@]}; echo text >&${fds[3]}; exec {fds[3]}>&-; cat g
