/* The files that reports are written to. */
#include "report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"

static bool fail(diag *d, const char *path, const char *why)
{
  diag_error_plain(d, "cannot write %s: %s", path, why);
  return false;
}

static bool is_standard(const char *path)
{
  return !strcmp(path, "-");
}

bool output_check(diag *d, const char *path)
{
  if (is_standard(path))
    return true;
  struct stat about;
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
  if (file < 0)
    return fail(d, path, errno == ENXIO ? "a pipe or a socket is no file" : strerror(errno));
  bool fine = !fstat(file, &about) && (S_ISREG(about.st_mode) || S_ISCHR(about.st_mode));
  close(file);
  return fine || fail(d, path, "a pipe or a socket is no file (- is standard output)");
}

/* Whether the file is none that others see under this name already: not there, or plain and no link. */
static bool can_be_replaced(const char *path)
{
  struct stat about;
  return lstat(path, &about) || S_ISREG(about.st_mode);
}

bool output_open(output *o, diag *d, const char *path)
{
  *o = (output){.path = path};
  if (is_standard(path)) {
    o->file = stdout;
    return true;
  }
  struct stat about;
  o->made = lstat(path, &about) != 0;
  if (!output_check(d, path))
    return false;
  if (can_be_replaced(path)) {
    text part;
    text_init(&part);
    text_addf(&part, "%s.part", path);
    o->part = text_take(&part);
    o->file = fopen(o->part, "w+x"); /* so that who writes here and there can move what is written */
  }
  if (!o->file) { /* a folder in which only this file may be written, or one that has no room for longer names */
    free(o->part);
    o->part = NULL;
    o->file = fopen(path, "w+");
    if (!o->file && errno == EACCES) /* it may be written but not read */
      o->file = fopen(path, "w");
  }
  return o->file || fail(d, path, strerror(errno));
}

bool output_close(output *o, diag *d)
{
  if (o->file == stdout)
    return true;
  errno = 0;
  bool fine = !fflush(o->file) && !ferror(o->file);
  int why = errno;
  if (fclose(o->file) && fine) {
    fine = false;
    why = errno;
  }
  if (fine && o->part && rename(o->part, o->path)) {
    fine = false;
    why = errno;
  }
  if (!fine && o->part)
    unlink(o->part);
  free(o->part);
  return fine || fail(d, o->path, why ? strerror(why) : "output error");
}

void output_abandon(output *o)
{
  if (o->file == stdout)
    return;
  fclose(o->file);
  if (o->part)
    unlink(o->part);
  if (o->made) /* by output_check */
    unlink(o->path);
  free(o->part);
  *o = (output){0};
}
