// Included at the start of SQLite: its two functions for systems that it does not know.
//
// They are in C because a function of Rust with such a name is exported, and an export keeps all of
// SQLite in programs that never use it.

// Registers the sandbox's files with SQLite; see commands/sqlite3/vfs.rs.
int (*cofferdam_register_files)(void);

int sqlite3_os_init(void) { return cofferdam_register_files ? cofferdam_register_files() : 1; }

int sqlite3_os_end(void) { return 0; }
