/* Preload for machines that forbid raising the limit of open files. The ephemeral validator insists on 1,000,000 when it
 * starts; this answers "done" to that one request and passes everything else on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/resource.h>

int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit) {
  if (resource == RLIMIT_NOFILE) return 0;
  int (*next)(__rlimit_resource_t, const struct rlimit64 *) = dlsym(RTLD_NEXT, "setrlimit64");
  return next(resource, limit);
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
  if (resource == RLIMIT_NOFILE) return 0;
  int (*next)(__rlimit_resource_t, const struct rlimit *) = dlsym(RTLD_NEXT, "setrlimit");
  return next(resource, limit);
}
