/*
 * init: process 1 of a test VM. It is static, because it also has to run from an initramfs that holds nothing else.
 *
 * virtme-ng boots the kernel with the host's root as the guest's (virtiofs, read-only), starts this program
 * because it lies where its own Rust init would (guest/bin/virtme-ng-init), and hands over a shell command in
 * base64 as virtme.exec=`...` on the kernel command line. We mount what tests need, run the command, report
 * its exit status through a virtio port and power off. Debian's virtme-init does the same with udev, systemd
 * and two hundred forks of bash, which takes a minute without KVM.
 *
 * Kernels whose virtio drivers are modules (Debian 12's 6.1) start this same program as /init of an
 * initramfs: it then loads /modules/... in the order of their names, mounts the root and goes on as above.
 *
 * Its own parameters on the kernel command line:
 *   ftap.keep=DIR[:DIR...]   directories of the host below /tmp, /run, ... that must stay visible
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP_MAX 16

static char cmdline[4096];

/* Writes to the kernel log and from there to the serial console, which works before any virtio port does. */
__attribute__((format(printf, 1, 2))) static void say(const char* format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  int n = snprintf(text, sizeof text, "<4>init: ");
  vsnprintf(text + n, sizeof text - n, format, args);
  va_end(args);
  int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
  if (fd < 0) fd = STDERR_FILENO;
  if (write(fd, text, strlen(text)) < 0) { /* nobody left to tell */
  }
  if (fd != STDERR_FILENO) close(fd);
}

static void power_off(void) {
  sync();
  reboot(RB_POWER_OFF);
  _exit(1); /* process 1 ending is a panic: the VM ends in any case */
}

__attribute__((format(printf, 1, 2))) static void die(const char* format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  say("%s; powering off", text);
  power_off();
}

static void mount_on(const char* type, const char* target, unsigned long flags, const char* data) {
  /* EBUSY: the kernel mounted devtmpfs by itself. */
  if (mount(type, target, type, flags, data) && errno != EBUSY)
    say("mount %s on %s: %s", type, target, strerror(errno));
}

/* Value of NAME=VALUE on the kernel command line, in a buffer of its own; NULL if it is not there. */
static char* parameter(const char* name) {
  size_t length = strlen(name);
  for (const char* p = cmdline; *p;) {
    size_t word = strcspn(p, " \n");
    if (word > length && !strncmp(p, name, length) && p[length] == '=')
      return strndup(p + length + 1, word - length - 1);
    p += word;
    p += strspn(p, " \n");
  }
  return NULL;
}

static bool has_word(const char* name) {
  size_t length = strlen(name);
  for (const char* p = cmdline; *p;) {
    size_t word = strcspn(p, " \n");
    if (word == length && !strncmp(p, name, length)) return true;
    p += word;
    p += strspn(p, " \n");
  }
  return false;
}

static void read_cmdline(void) {
  int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, cmdline, sizeof cmdline - 1);
  cmdline[n > 0 ? n : 0] = 0;
  if (fd >= 0) close(fd);
}

static void make_directories(const char* path) {
  char part[PATH_MAX];
  for (const char* p = strchr(path + 1, '/');; p = strchr(p + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", p ? (int)(p - path) : (int)strlen(path), path);
    mkdir(part, 0755);
    if (!p) return;
  }
}

/* ---- as /init of an initramfs: modules, then the real root ---- */

static bool in_initramfs(void) {
  struct statfs fs;
  if (statfs("/", &fs) || access("/modules", F_OK)) return false;
  return fs.f_type == RAMFS_MAGIC || fs.f_type == TMPFS_MAGIC;
}

static void load_modules(void) {
  struct dirent** names;
  int count = scandir("/modules", &names, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    if (names[i]->d_name[0] == '.') continue;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/modules/%s", names[i]->d_name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST))
      say("load %s: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
  }
}

static void enter_root(void) {
  char* tag = parameter("root");
  unsigned long flags = has_word("rw") ? 0 : MS_RDONLY;
  mkdir("/newroot", 0755);
  /* Devices may still be probed at this time: the tag appears a moment after the last module. */
  for (int i = 0; mount(tag ? tag : "ROOTFS", "/newroot", "virtiofs", flags, NULL); i++) {
    if (i == 100) die("mount the root (virtiofs %s): %s", tag ? tag : "ROOTFS", strerror(errno));
    usleep(100000);
  }
  umount2("/proc", MNT_DETACH);
  umount2("/dev", MNT_DETACH);
  if (chdir("/newroot") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
    die("switch to the root: %s", strerror(errno));
}

/* ---- what a test expects of a system ---- */

/*
 * The tmpfs mounts hide what the host has there. The directories that the tests come from must stay visible: they are
 * opened before and bound to the same place afterwards.
 */
static void mount_temporary(void) {
  static const char* const places[][2] = {
      {"/run", "mode=0755"}, {"/tmp", "mode=1777"}, {"/var/tmp", "mode=1777"}, {"/var/log", "mode=0755"}};
  char* keep[KEEP_MAX];
  int fd[KEEP_MAX], kept = 0;
  char* list = parameter("ftap.keep");
  for (char* path = list ? strtok(list, ":") : NULL; path; path = strtok(NULL, ":")) {
    if (kept == KEEP_MAX) die("more than %d directories in ftap.keep", KEEP_MAX);
    fd[kept] = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd[kept] < 0)
      say("keep %s: %s", path, strerror(errno));
    else
      keep[kept++] = path;
  }
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    mount_on("tmpfs", places[i][0], MS_NOSUID | MS_NODEV, places[i][1]);
  for (int i = 0; i < kept; i++) {
    char from[64];
    snprintf(from, sizeof from, "/proc/self/fd/%d", fd[i]);
    make_directories(keep[i]);
    if (mount(from, keep[i], NULL, MS_BIND | MS_REC, NULL)) say("keep %s: %s", keep[i], strerror(errno));
    close(fd[i]);
  }
  free(list);
}

static void mount_system(void) {
  mount_on("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  mount_on("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  mount_on("devtmpfs", "/dev", MS_NOSUID, "mode=0755");
  mkdir("/dev/pts", 0755);
  mount_on("devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "gid=5,mode=620,ptmxmode=666");
  mkdir("/dev/shm", 01777);
  mount_on("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777");
  /* The hierarchy that tests find: pure version 2, as on every current distribution. */
  mount_on("cgroup2", "/sys/fs/cgroup", MS_NOSUID | MS_NODEV | MS_NOEXEC, "nsdelegate");
  mount_on("bpf", "/sys/fs/bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700");
  mount_on("debugfs", "/sys/kernel/debug", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
  mount_on("tracefs", "/sys/kernel/tracing", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static void raise_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request)) say("loopback: %s", strerror(errno));
  if (fd >= 0) close(fd);
}

/* On other systems udev makes /dev/virtio-ports/NAME. Returns how many ports have a name. */
static int link_ports(void) {
  int linked = 0;
  DIR* dir = opendir("/sys/class/virtio-ports");
  mkdir("/dev/virtio-ports", 0755);
  for (struct dirent* entry; dir && (entry = readdir(dir));) {
    char path[PATH_MAX], name[128], target[300], link[300];
    snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", entry->d_name);
    FILE* file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
    if (!file) continue;
    if (fgets(name, sizeof name, file)) {
      name[strcspn(name, "\n")] = 0;
      snprintf(target, sizeof target, "../%s", entry->d_name);
      snprintf(link, sizeof link, "/dev/virtio-ports/%s", name);
      if (!symlink(target, link) || errno == EEXIST) linked++;
    }
    fclose(file);
  }
  if (dir) closedir(dir);
  return linked;
}

static int open_port(const char* name) {
  char path[128];
  snprintf(path, sizeof path, "/dev/virtio-ports/%s", name);
  int fd = -1;
  for (int i = 0; i < 100 && fd < 0; i++) {
    if (i) usleep(100000); /* ports are announced by the host one by one */
    link_ports();
    fd = open(path, O_WRONLY | O_CLOEXEC);
  }
  if (fd < 0) die("open %s: %s", path, strerror(errno));
  return fd;
}

static void link_devices(void) {
  /*
   * A port takes one writer at a time: whoever opens /dev/stdout again gets a second port that ends in the same place.
   */
  static const char* const links[][2] = {
      {"/proc/self/fd", "/dev/fd"},
      {"/proc/self/fd/0", "/dev/stdin"},
      {"/dev/virtio-ports/virtme.dev_stdout", "/dev/stdout"},
      {"/dev/virtio-ports/virtme.dev_stderr", "/dev/stderr"},
  };
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    unlink(links[i][1]);
    if (symlink(links[i][0], links[i][1])) say("link %s: %s", links[i][1], strerror(errno));
  }
}

/* ---- the command ---- */

static int base64_digit(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char* p = c ? strchr(digits, c) : NULL;
  return p ? (int)(p - digits) : -1;
}

/* Decodes in place up to the first character that is no digit (padding, the closing backquote). */
static char* decode(char* text) {
  unsigned bits = 0;
  int have = 0;
  char* out = text;
  for (char* p = text; base64_digit(*p) >= 0; p++) {
    bits = bits << 6 | (unsigned)base64_digit(*p);
    have += 6;
    if (have >= 8) {
      have -= 8;
      *out++ = (char)(bits >> have);
    }
  }
  *out = 0;
  return text;
}

static pid_t start(const char* command, int out, int err) {
  pid_t child = fork();
  if (child) return child;
  static char* const environment[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                      "HOME=/root",
                                      "TMPDIR=/tmp",
                                      "LANG=C.UTF-8",
                                      "TERM=dumb",
                                      NULL};
  setsid();
  int in = open("/dev/null", O_RDONLY);
  if (chdir("/tmp") || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(126);
  execle("/bin/sh", "sh", "-c", command, NULL, environment);
  say("/bin/sh: %s", strerror(errno));
  _exit(127);
}

static int wait_for(pid_t child) {
  for (int status;;) {
    pid_t pid = wait(&status); /* every orphan of the guest ends up here as well */
    if (pid == child) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (pid < 0 && errno != EINTR) return 255;
  }
}

int main(void) {
  umask(022);
  if (in_initramfs()) {
    mkdir("/proc", 0755);
    mkdir("/dev", 0755);
    mount_on("proc", "/proc", 0, NULL);
    mount_on("devtmpfs", "/dev", 0, NULL);
    read_cmdline();
    load_modules();
    enter_root();
  }
  mount_system();
  read_cmdline();
  mount_temporary();
  raise_loopback();
  sethostname("vm", 2);
  /* What systemd gives its services; the kernel's own hard limit of 4096 is too low for a daemon. */
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 524288});
  setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});

  char* command = parameter("virtme.exec");
  if (!command) die("no virtme.exec on the kernel command line");
  int out = open_port("virtme.stdout");
  int err = open_port("virtme.stderr");
  int result = open_port("virtme.ret");
  link_devices();

  pid_t child = start(decode(command + (*command == '`')), out, err);
  if (child < 0) die("fork: %s", strerror(errno));
  int status = wait_for(child);
  if (status) say("the command ended with status %d", status);
  dprintf(result, "%d\n", status);
  power_off();
}
