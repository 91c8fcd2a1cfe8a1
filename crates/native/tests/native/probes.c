/* Attempts to get out of a sandbox. Each probe tries one way and returns NULL if it was held, or
 * the way it got out. `probes` prints one line for each: its name, then "held" or "ESCAPED".
 *
 * Arguments: a secret file of the host, a number of a process of the host, a UDP port of the
 * host's loopback, the path of a socket of the host, and milliseconds for each race. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static const char *secret, *host_socket, *self;
static int host_pid, host_udp, race_ms;
static char found[512];

#define ESCAPED(...) (snprintf(found, sizeof found, __VA_ARGS__), found)
#define TOKEN "SECRET-OF-THE-HOST"

/* Returns true if a descriptor reads the secret. */
static int reads_secret(int fd) {
    char text[64] = {0};
    if (fd < 0) return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 && strstr(text, TOKEN) != NULL;
}

static char *opens(const char *path) {
    return reads_secret(open(path, O_RDONLY)) ? ESCAPED("read %s", path) : NULL;
}

static char *writes(const char *path) {
    int fd = open(path, O_WRONLY);
    if (fd < 0) return NULL;
    close(fd);
    return ESCAPED("opened %s for writing", path);
}

static char *refused(long result, const char *what) {
    return result < 0 ? NULL : ESCAPED("%s succeeded", what);
}

/* Runs a program in a child; returns its exit code, or -1 if it was not started. */
static int runs(const char *path, char *const argv[]) {
    pid_t child = fork();
    if (!child) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1), dup2(null, 2);
        execv(path, argv);
        _exit(199);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) != 199 ? WEXITSTATUS(status) : -1;
}

static int copy(const char *from, const char *to, mode_t mode) {
    char buffer[65536];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, mode);
    if (in < 0 || out < 0) return -1;
    for (ssize_t n; (n = read(in, buffer, sizeof buffer)) > 0;)
        if (write(out, buffer, n) != n) return -1;
    close(in), close(out);
    return 0;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Files. */
static char *file_read(void) { return opens(secret); }
static char *file_openat2(void) {
    struct { uint64_t flags, mode, resolve; } how = {O_RDONLY, 0, 0};
    return reads_secret(syscall(437, AT_FDCWD, secret, &how, sizeof how)) ? ESCAPED("openat2") : NULL;
}
static char *file_stat(void) { struct stat s; return refused(stat(secret, &s), "stat"); }
static char *file_statx(void) { struct statx s; return refused(statx(AT_FDCWD, secret, 0, STATX_SIZE, &s), "statx"); }
static char *file_access(void) { return refused(access(secret, F_OK), "access"); }
static char *file_readlink(void) {
    char buffer[64];
    long n = readlink(secret, buffer, sizeof buffer);
    return n >= 0 || errno == EINVAL ? ESCAPED("readlink tells that the file is there") : NULL;
}
static char *file_truncate(void) { return refused(truncate(secret, 0), "truncate"); }
static char *file_chmod(void) { return refused(chmod(secret, 0777), "chmod"); }
static char *file_xattr(void) { char b[8]; long n = getxattr(secret, "user.x", b, sizeof b); return n >= 0 || errno == ENODATA ? ESCAPED("getxattr") : NULL; }
static char *file_statfs(void) { struct statfs s; return refused(statfs(secret, &s), "statfs"); }
static char *file_inotify(void) { int i = inotify_init(); return refused(inotify_add_watch(i, secret, IN_ALL_EVENTS), "inotify"); }
static char *file_unlink(void) { return refused(unlink(secret), "unlink"); }
static char *file_rename(void) { return refused(rename(secret, "/tmp/taken"), "rename"); }
static char *file_link(void) { return refused(link(secret, "/tmp/linked"), "link"); }
static char *file_symlink(void) {
    if (symlink(secret, "/tmp/to-secret")) return NULL;
    return opens("/tmp/to-secret");
}
static char *file_dots(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/tmp/../../../../..%s", secret);
    return opens(path);
}
static char *file_proc_root(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/proc/self/root%s", secret);
    return opens(path);
}
static char *file_proc_cwd(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/proc/self/cwd/../../../../../..%s", secret);
    return opens(path);
}
static char *file_folder_descriptor(void) {
    int folder = open("/tmp", O_RDONLY | O_DIRECTORY);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "../../../..%s", secret);
    return reads_secret(openat(folder, path, O_RDONLY)) ? ESCAPED("climbed out of /tmp") : NULL;
}
static char *file_path_descriptor(void) {
    int path = open(secret, O_PATH);
    if (path < 0) return NULL;
    return ESCAPED("has a path descriptor");
}
static char *file_chdir(void) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", secret);
    *strrchr(folder, '/') = 0;
    return chdir(folder) == 0 && reads_secret(open(strrchr(secret, '/') + 1, O_RDONLY)) ? ESCAPED("chdir") : NULL;
}
static char *file_list(void) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", secret);
    *strrchr(folder, '/') = 0;
    DIR *dir = opendir(folder);
    if (!dir) return NULL;
    for (struct dirent *e; (e = readdir(dir));)
        if (!strcmp(e->d_name, strrchr(secret, '/') + 1)) return ESCAPED("listed the secret");
    return NULL;
}
static char *file_handle(void) {
    struct { struct { unsigned bytes; int type; } head; char data[128]; } handle = {{128, 0}, {0}};
    int mount;
    return refused(syscall(SYS_name_to_handle_at, AT_FDCWD, "/usr", &handle, &mount, 0), "name_to_handle_at");
}
static char *file_by_handle(void) {
    struct { struct { unsigned bytes; int type; } head; char data[128]; } handle = {{8, 1}, {2}};
    return refused(syscall(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY), "open_by_handle_at");
}
static char *file_shadow(void) { return refused(open("/etc/shadow", O_RDONLY), "open /etc/shadow"); }
static char *file_write_system(void) { return writes("/usr/bin/id"); }
static char *file_make_in_system(void) { return refused(open("/usr/lib/new", O_WRONLY | O_CREAT, 0644), "open"); }
static char *file_make_in_root(void) { return refused(mkdir("/new-folder", 0755), "mkdir"); }
static char *file_unlink_system(void) { return refused(unlink("/usr/bin/id"), "unlink"); }
static char *file_link_system(void) { return refused(link("/usr/bin/id", "/tmp/id"), "link"); }
static char *file_passwd(void) { return writes("/etc/passwd"); }
static char *file_remount(void) { return refused(mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL), "remount"); }

/* Races. One thread swaps the argument of a call between a harmless and the secret path. */
static char raced[PATH_MAX];
static volatile int racing;
static void *swap_path(void *_) {
    (void)_;
    while (racing) {
        memcpy(raced, "/etc/hostname\0", 14);
        memcpy(raced, secret, strlen(secret) + 1);
    }
    return NULL;
}
static char *race_open(void) {
    pthread_t thread;
    racing = 1;
    pthread_create(&thread, NULL, swap_path, NULL);
    char *escaped = NULL;
    for (double end = now_ms() + race_ms; now_ms() < end && !escaped;)
        if (reads_secret(open(raced, O_RDONLY))) escaped = ESCAPED("won the race");
    racing = 0;
    pthread_join(thread, NULL);
    return escaped;
}
static void *swap_link(void *_) {
    (void)_;
    while (racing) {
        unlink("/tmp/race-link"), symlink("/etc/hostname", "/tmp/race-link");
        unlink("/tmp/race-link"), symlink(secret, "/tmp/race-link");
    }
    return NULL;
}
static char *race_link(void) {
    pthread_t thread;
    racing = 1;
    pthread_create(&thread, NULL, swap_link, NULL);
    char *escaped = NULL;
    for (double end = now_ms() + race_ms; now_ms() < end && !escaped;)
        if (reads_secret(open("/tmp/race-link", O_RDONLY))) escaped = ESCAPED("won the race");
    racing = 0;
    pthread_join(thread, NULL);
    return escaped;
}
static char raced_program[64];
static void *swap_program(void *_) {
    (void)_;
    while (racing) {
        strcpy(raced_program, "/usr/bin/true");
        strcpy(raced_program, "/tmp/race-id");
    }
    return NULL;
}
static char *race_exec(void) {
    copy(self, "/tmp/race-id", 0755);
    pthread_t thread;
    racing = 1;
    pthread_create(&thread, NULL, swap_program, NULL);
    char *escaped = NULL;
    char *argv[] = {"x", "--hello", NULL};
    for (double end = now_ms() + race_ms; now_ms() < end && !escaped;)
        if (runs(raced_program, argv) == 42) escaped = ESCAPED("started its own program");
    racing = 0;
    pthread_join(thread, NULL);
    return escaped;
}

/* Processes and /proc. */
static char *proc_host_process(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", host_pid);
    return access(path, F_OK) == 0 && host_pid > 5000 ? ESCAPED("sees %s", path) : NULL;
}
static char *proc_init_environment(void) { return refused(open("/proc/1/environ", O_RDONLY), "open"); }
static char *proc_init_memory(void) { return refused(open("/proc/1/mem", O_RDWR), "open"); }
static char *proc_init_root(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/proc/1/root%s", secret);
    return opens(path);
}
static char *proc_init_descriptors(void) { return refused(open("/proc/1/fd/0", O_RDONLY), "open"); }
static char *proc_core_pattern(void) { return writes("/proc/sys/kernel/core_pattern"); }
static char *proc_modprobe(void) { return writes("/proc/sys/kernel/modprobe"); }
static char *proc_sysrq(void) { return writes("/proc/sysrq-trigger"); }
static char *proc_kcore(void) { int fd = open("/proc/kcore", O_RDONLY); char b[4]; return fd >= 0 && read(fd, b, 4) == 4 ? ESCAPED("reads the kernel") : NULL; }
static char *proc_keys(void) { int fd = open("/proc/keys", O_RDONLY); char b[4]; return fd >= 0 && read(fd, b, 4) > 0 ? ESCAPED("lists keys") : NULL; }
static char *proc_ids(void) { int fd = open("/proc/self/uid_map", O_WRONLY); return fd >= 0 && write(fd, "0 0 1", 5) == 5 ? ESCAPED("maps ids") : NULL; }
static char *sys_folder(void) { return refused(access("/sys/kernel", F_OK), "access"); }
static char *signal_host(void) { return host_pid > 5000 ? refused(kill(host_pid, 0), "kill") : NULL; }
static char *signal_init(void) { kill(1, SIGKILL); usleep(1000); return getppid() == 0 ? ESCAPED("killed init") : NULL; }
static char *trace_init(void) { return refused(ptrace(PTRACE_ATTACH, 1, 0, 0), "ptrace"); }
static char *trace_memory(void) {
    char b[8];
    struct iovec local = {b, 8}, remote = {(void *)0x400000, 8};
    return refused(process_vm_readv(1, &local, 1, &remote, 1, 0), "process_vm_readv");
}
static char *trace_descriptor(void) {
    int pid = syscall(SYS_pidfd_open, 1, 0);
    return refused(syscall(438, pid, 0, 0), "pidfd_getfd");
}
static char *descriptors(void) {
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0) return ESCAPED("descriptor %d is open", fd);
    return NULL;
}
static char *environment(void) { return getenv("PROBE_SECRET") ? ESCAPED("has the variable") : NULL; }
static char *identity_root(void) { return getuid() != 0 ? refused(setuid(0), "setuid") : NULL; }
static char *identity_groups(void) { gid_t g = 0; return refused(syscall(SYS_setgroups, 1, &g), "setgroups"); }
static char *identity_capabilities(void) {
    struct { uint32_t version; int pid; } head = {0x20080522, 0};
    uint32_t data[6] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    return refused(syscall(SYS_capset, &head, data), "capset");
}

/* Sockets. */
static char *makes_socket(int domain, int type, int protocol) {
    int fd = socket(domain, type, protocol);
    return fd >= 0 ? ESCAPED("has a socket of family %d", domain) : NULL;
}
static char *socket_unix(void) { return makes_socket(AF_UNIX, SOCK_STREAM, 0); }
static char *socket_path(void) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    snprintf(to.sun_path, sizeof to.sun_path, "%s", host_socket);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair)) return NULL;
    long sent = sendto(pair[0], "x", 1, 0, (void *)&to, sizeof to);
    return sent == 1 && errno != EISCONN ? refused(connect(pair[0], (void *)&to, sizeof to), "connect") : NULL;
}
static char *socket_abstract(void) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    memcpy(to.sun_path, "\0cofferdam-probe", 16);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair)) return NULL;
    return refused(connect(pair[0], (void *)&to, offsetof(struct sockaddr_un, sun_path) + 16), "connect");
}
static char *socket_netlink(void) { return makes_socket(AF_NETLINK, SOCK_RAW, 0); }
static char *socket_vsock(void) { return makes_socket(40, SOCK_STREAM, 0); }
static char *socket_packet(void) { return makes_socket(17, SOCK_RAW, 0); }
static char *socket_raw(void) { return makes_socket(AF_INET, SOCK_RAW, 1); }
static char *socket_ping(void) { return makes_socket(AF_INET, SOCK_DGRAM, 1); }
static char *socket_bluetooth(void) { return makes_socket(31, SOCK_RAW, 0); }
static char *socket_crypto(void) { return makes_socket(38, SOCK_SEQPACKET, 0); }
static char *socket_udp(void) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = {AF_INET, htons(host_udp), {htonl(INADDR_LOOPBACK)}, {0}};
    /* The host's end reports what it receives. */
    for (int i = 0; i < 3; i++) sendto(fd, "escaped", 7, 0, (void *)&to, sizeof to);
    return NULL;
}

/* The kernel. */
static int in_child(void *_) { (void)_; return 0; }
static char stack[65536];
static char *kernel_io_uring(void) { char p[256] = {0}; return refused(syscall(425, 4, p), "io_uring_setup"); }
static char *kernel_unshare_user(void) { return refused(unshare(CLONE_NEWUSER), "unshare"); }
static char *kernel_unshare_mount(void) { return refused(unshare(CLONE_NEWNS), "unshare"); }
static char *kernel_unshare_network(void) { return refused(unshare(CLONE_NEWNET), "unshare"); }
static char *kernel_clone(void) { return refused(clone(in_child, stack + sizeof stack, CLONE_NEWUSER | SIGCHLD, NULL), "clone"); }
static char *kernel_clone3(void) {
    uint64_t args[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    long child = syscall(435, args, 64);
    if (child == 0) _exit(0);
    return refused(child, "clone3");
}
static char *kernel_setns(void) { int fd = open("/proc/1/ns/mnt", O_RDONLY); return refused(setns(fd < 0 ? 0 : fd, 0), "setns"); }
static char *kernel_mount(void) { return refused(mount("tmpfs", "/tmp", "tmpfs", 0, NULL), "mount"); }
static char *kernel_bind(void) { return refused(mount("/usr", "/tmp", NULL, MS_BIND, NULL), "mount"); }
static char *kernel_umount(void) { return refused(umount2("/usr/bin", MNT_DETACH), "umount"); }
static char *kernel_pivot(void) { return refused(syscall(SYS_pivot_root, "/tmp", "/tmp"), "pivot_root"); }
static char *kernel_chroot(void) { return refused(chroot("/tmp"), "chroot"); }
static char *kernel_open_tree(void) { return refused(syscall(428, AT_FDCWD, "/", 1), "open_tree"); }
static char *kernel_fsopen(void) { return refused(syscall(430, "tmpfs", 0), "fsopen"); }
static char *kernel_bpf(void) { char a[128] = {0}; return refused(syscall(SYS_bpf, 0, a, sizeof a), "bpf"); }
static char *kernel_perf(void) { char a[128] = {0}; return refused(syscall(SYS_perf_event_open, a, 0, -1, -1, 0), "perf_event_open"); }
static char *kernel_userfault(void) { return refused(syscall(SYS_userfaultfd, 1), "userfaultfd"); }
static char *kernel_add_key(void) { return refused(syscall(SYS_add_key, "user", "probe", "x", 1, -3), "add_key"); }
static char *kernel_request_key(void) { return refused(syscall(SYS_request_key, "user", "probe", NULL, 0), "request_key"); }
static char *kernel_keyctl(void) { return refused(syscall(SYS_keyctl, 0, -3, 0), "keyctl"); }
static char *kernel_kexec(void) { return refused(syscall(SYS_kexec_load, 0, 0, NULL, 0), "kexec_load"); }
static char *kernel_module(void) { return refused(syscall(SYS_init_module, "", 0, ""), "init_module"); }
static char *kernel_fanotify(void) { return refused(syscall(SYS_fanotify_init, 0, 0), "fanotify_init"); }
static char *kernel_swap(void) { return refused(syscall(SYS_swapon, "/tmp/x", 0), "swapon"); }
static char *kernel_time(void) { struct timeval t; gettimeofday(&t, NULL); return refused(settimeofday(&t, NULL), "settimeofday"); }
static char *kernel_name(void) { return refused(sethostname("x", 1), "sethostname"); }
static char *kernel_log(void) { char b[16]; return refused(syscall(SYS_syslog, 3, b, sizeof b), "syslog"); }
static char *kernel_personality(void) { return refused(syscall(SYS_personality, 0x0400000), "personality"); }
static char *kernel_listener(void) {
    struct sock_filter f[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog p = {1, f};
    return refused(syscall(SYS_seccomp, 1, 1 << 3, &p), "a filter with notifications");
}
static char *kernel_input(void) { char c = 'x'; return refused(ioctl(0, TIOCSTI, &c), "TIOCSTI"); }
static char *kernel_messages(void) { return refused(syscall(SYS_mq_open, "/probe", O_CREAT | O_RDWR, 0600, NULL), "mq_open"); }
static char *kernel_device(void) { return refused(mknod("/tmp/mem", S_IFCHR | 0600, 0x101), "mknod"); }
static char *kernel_block(void) { return refused(mknod("/tmp/disk", S_IFBLK | 0600, 0x800), "mknod"); }
static char *kernel_memory(void) { return refused(open("/dev/mem", O_RDONLY), "open"); }
#ifdef __x86_64__
/* Both ways of calling the kernel end the process. */
static char *dies(void (*act)(void)) {
    pid_t child = fork();
    if (!child) { act(); _exit(7); }
    int status;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? NULL : ESCAPED("the kernel answered");
}
static void x32(void) { syscall(0x40000000 | SYS_getpid); }
static void int80(void) { long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); }
static char *kernel_x32(void) { return dies(x32); }
static char *kernel_32_bit(void) { return dies(int80); }
#endif

/* Programs. */
static char *plain_argv[] = {"x", NULL}, *hello_argv[] = {"x", "--hello", NULL};
static char *program_ungranted(void) { return runs("/usr/bin/id", plain_argv) >= 0 ? ESCAPED("started id") : NULL; }
static char *program_shell(void) { char *argv[] = {"sh", "-c", "exit 3", NULL}; return runs("/bin/sh", argv) >= 0 ? ESCAPED("started a shell") : NULL; }
static char *program_own(void) {
    if (copy(self, "/tmp/own", 0755)) return NULL;
    return runs("/tmp/own", hello_argv) == 42 ? ESCAPED("started its own program") : NULL;
}
static char *program_shared_memory(void) {
    if (copy(self, "/dev/shm/own", 0755)) return NULL;
    return runs("/dev/shm/own", hello_argv) == 42 ? ESCAPED("started its own program") : NULL;
}
static char *program_renamed(void) {
    if (copy(self, "/tmp/probes", 0755)) return NULL;
    return runs("/tmp/probes", hello_argv) == 42 ? ESCAPED("started its own program") : NULL;
}
static char *memory_program(unsigned flags) {
    int fd = memfd_create("own", flags);
    if (fd < 0) return NULL;
    char buffer[65536], path[64];
    int in = open(self, O_RDONLY);
    for (ssize_t n; (n = read(in, buffer, sizeof buffer)) > 0;)
        if (write(fd, buffer, n) != n) return NULL;
    close(in);
    fchmod(fd, 0755);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return runs(path, hello_argv) == 42 ? ESCAPED("started a program from memory") : NULL;
}
static char *program_memory(void) { return memory_program(0); }
static char *program_memory_flag(void) { return memory_program(0x10); }
static char *program_descriptor(void) {
    if (copy(self, "/tmp/by-fd", 0755)) return NULL;
    int fd = open("/tmp/by-fd", O_RDONLY);
    pid_t child = fork();
    if (!child) {
        char *env[] = {NULL};
        syscall(SYS_execveat, fd, "", hello_argv, env, AT_EMPTY_PATH);
        _exit(199);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 42 ? ESCAPED("execveat") : NULL;
}
#ifdef __x86_64__
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define LOADER "/lib/ld-linux-aarch64.so.1"
#endif
static char *program_loader(void) { char *argv[] = {"ld", "/usr/bin/id", NULL}; return runs(LOADER, argv) == 0 ? ESCAPED("ld.so started id") : NULL; }
static char *program_loader_own(void) {
    copy(self, "/tmp/own2", 0755);
    char *argv[] = {"ld", "/tmp/own2", "--hello", NULL};
    return runs(LOADER, argv) == 42 ? ESCAPED("ld.so started its own program") : NULL;
}
static char *program_mapped(void) {
    if (copy(self, "/tmp/mapped", 0755)) return NULL;
    int fd = open("/tmp/mapped", O_RDONLY);
    void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    return at != MAP_FAILED ? ESCAPED("mapped its own file as code") : NULL;
}
static char *program_setuid(void) { char *argv[] = {"su", "-c", "true", NULL}; return runs("/usr/bin/su", argv) >= 0 ? ESCAPED("started su") : NULL; }
/* Programs that would run with the rights of this user, whoever starts them. */
static char *identity_chmod(void) { copy("/usr/bin/true", "/tmp/id1", 0755); return refused(chmod("/tmp/id1", 04755), "chmod u+s"); }
static char *identity_group(void) { copy("/usr/bin/true", "/tmp/id2", 0755); return refused(chmod("/tmp/id2", 02755), "chmod g+s"); }
static char *identity_fchmod(void) { return refused(fchmod(open("/tmp/id3", O_CREAT | O_RDWR, 0755), 04755), "fchmod"); }
static char *identity_fchmodat(void) { open("/tmp/id4", O_CREAT | O_RDWR, 0755); return refused(fchmodat(AT_FDCWD, "/tmp/id4", 06755, 0), "fchmodat"); }
static char *identity_fchmodat2(void) { open("/tmp/id5", O_CREAT | O_RDWR, 0755); return refused(syscall(452, AT_FDCWD, "/tmp/id5", 04755, 0), "fchmodat2"); }
static char *identity_open(void) { return refused(open("/tmp/id6", O_CREAT | O_RDWR, 04755), "open"); }
static char *identity_creat(void) { return refused(creat("/tmp/id7", 04755), "creat"); }
static char *identity_mknod(void) { return refused(mknod("/tmp/id8", S_IFREG | 04755, 0), "mknod"); }
static char *identity_unnamed(void) { return refused(open("/tmp", O_TMPFILE | O_RDWR, 04755), "open without a name"); }
static char *identity_openat2(void) {
    struct { uint64_t flags, mode, resolve; } how = {O_CREAT | O_RDWR, 04755, 0};
    return refused(syscall(437, AT_FDCWD, "/tmp/id9", &how, sizeof how), "openat2");
}
static char *program_write_self(void) { return writes(self); }

#define PROBE(name) {#name, name}
static struct { const char *name; char *(*run)(void); } probes[] = {
    PROBE(file_read), PROBE(file_openat2), PROBE(file_stat), PROBE(file_statx), PROBE(file_access),
    PROBE(file_readlink), PROBE(file_truncate), PROBE(file_chmod), PROBE(file_xattr),
    PROBE(file_statfs), PROBE(file_inotify), PROBE(file_unlink), PROBE(file_rename),
    PROBE(file_link), PROBE(file_symlink), PROBE(file_dots), PROBE(file_proc_root),
    PROBE(file_proc_cwd), PROBE(file_folder_descriptor), PROBE(file_path_descriptor),
    PROBE(file_chdir), PROBE(file_list), PROBE(file_handle), PROBE(file_by_handle),
    PROBE(file_shadow), PROBE(file_write_system), PROBE(file_make_in_system),
    PROBE(file_make_in_root), PROBE(file_unlink_system), PROBE(file_link_system),
    PROBE(file_passwd), PROBE(file_remount), PROBE(race_open), PROBE(race_link), PROBE(race_exec),
    PROBE(proc_host_process), PROBE(proc_init_environment), PROBE(proc_init_memory),
    PROBE(proc_init_root), PROBE(proc_init_descriptors), PROBE(proc_core_pattern),
    PROBE(proc_modprobe), PROBE(proc_sysrq), PROBE(proc_kcore), PROBE(proc_keys), PROBE(proc_ids),
    PROBE(sys_folder), PROBE(signal_host), PROBE(signal_init), PROBE(trace_init),
    PROBE(trace_memory), PROBE(trace_descriptor), PROBE(descriptors), PROBE(environment),
    PROBE(identity_root), PROBE(identity_groups), PROBE(identity_capabilities),
    PROBE(socket_unix), PROBE(socket_path), PROBE(socket_abstract), PROBE(socket_netlink),
    PROBE(socket_vsock), PROBE(socket_packet), PROBE(socket_raw), PROBE(socket_ping),
    PROBE(socket_bluetooth), PROBE(socket_crypto), PROBE(socket_udp), PROBE(kernel_io_uring),
    PROBE(kernel_unshare_user), PROBE(kernel_unshare_mount), PROBE(kernel_unshare_network),
    PROBE(kernel_clone), PROBE(kernel_clone3), PROBE(kernel_setns), PROBE(kernel_mount),
    PROBE(kernel_bind), PROBE(kernel_umount), PROBE(kernel_pivot), PROBE(kernel_chroot),
    PROBE(kernel_open_tree), PROBE(kernel_fsopen), PROBE(kernel_bpf), PROBE(kernel_perf),
    PROBE(kernel_userfault), PROBE(kernel_add_key), PROBE(kernel_request_key),
    PROBE(kernel_keyctl), PROBE(kernel_kexec), PROBE(kernel_module), PROBE(kernel_fanotify),
    PROBE(kernel_swap), PROBE(kernel_time), PROBE(kernel_name), PROBE(kernel_log),
    PROBE(kernel_personality), PROBE(kernel_listener), PROBE(kernel_input),
    PROBE(kernel_messages), PROBE(kernel_device), PROBE(kernel_block), PROBE(kernel_memory),
#ifdef __x86_64__
    PROBE(kernel_x32), PROBE(kernel_32_bit),
#endif
    PROBE(program_ungranted), PROBE(program_shell), PROBE(program_own),
    PROBE(program_shared_memory), PROBE(program_renamed), PROBE(program_memory),
    PROBE(program_memory_flag), PROBE(program_descriptor), PROBE(program_loader),
    PROBE(program_loader_own), PROBE(program_mapped), PROBE(program_setuid),
    PROBE(program_write_self),
    PROBE(identity_chmod), PROBE(identity_group), PROBE(identity_fchmod), PROBE(identity_fchmodat),
    PROBE(identity_fchmodat2), PROBE(identity_open), PROBE(identity_creat), PROBE(identity_mknod),
    PROBE(identity_unnamed), PROBE(identity_openat2),
};

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "--hello")) return 42;
    if (argc < 6) return 2;
    self = "/proc/self/exe";
    secret = argv[1], host_pid = atoi(argv[2]), host_udp = atoi(argv[3]);
    host_socket = argv[4], race_ms = atoi(argv[5]);
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            errno = 0;
            char *escaped = probes[i].run();
            printf("%s %s%s%s\n", probes[i].name, escaped ? "ESCAPED" : "held", escaped ? " " : "", escaped ? escaped : "");
            fflush(stdout);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status)) printf("%s ended %d\n", probes[i].name, status);
    }
    return 0;
}
