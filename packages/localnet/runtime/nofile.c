/* Preload for machines that forbid raising the limit of open files. The ephemeral validator insists on 1,000,000 when it
 * starts; this answers "done" to that one request and passes everything else on to Linux. It needs no header and no library:
 * `nofile.so` beside it is committed, so that no machine needs a compiler. See build-nofile.sh. */
enum { PRLIMIT64 = 302, NOFILE = 7 }; /* Linux on x86-64. */

extern int *__errno_location(void);

int setrlimit(int resource, const void *limit) {
  if (resource == NOFILE) return 0;
  register long old __asm__("r10") = 0;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(PRLIMIT64), "D"(0L), "S"((long)resource), "d"(limit), "r"(old)
                   : "rcx", "r11", "memory");
  if (result >= 0) return 0;
  *__errno_location() = (int)-result;
  return -1;
}

/* On x86-64 both are the same. */
int setrlimit64(int resource, const void *limit) __attribute__((alias("setrlimit")));
