# What POSIX mode turns on and off with it.
shopt expand_aliases; set -o posix; shopt expand_aliases; POSIXLY_CORRECT=y; unset POSIXLY_CORRECT; shopt expand_aliases; set -o | grep posix
shopt -u expand_aliases; set -o posix; POSIXLY_CORRECT=y true; shopt expand_aliases; set -o | grep posix
f() { local POSIXLY_CORRECT=y; :; }; f; shopt expand_aliases; set -o | grep posix
set +o posix; POSIXLY_CORRECT=y true; shopt expand_aliases; set -o | grep posix; shopt -s expand_aliases
f; shopt expand_aliases; set -o | grep posix
( POSIXLY_CORRECT=y ); PATH=$PATH POSIXLY_CORRECT=y ls >/dev/null; shopt expand_aliases; set -o | grep posix
g() { set -o posix; }; g; shopt expand_aliases;  set +o posix; shopt expand_aliases
shopt -s expand_aliases; set +o posix; shopt expand_aliases; h() { local -; set -o posix; }; h; shopt expand_aliases; set -o|grep posix
