/* Where the bundled files and the judge are, and walking folders. */
#include "cli/paths.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/text.h"

enum { MOST_LEVELS = 16 }; /* of folders in folders */

void path_list_clear(path_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    free(list->item[i]);
  free(list->item);
  *list = (path_list){0};
}

char *path_join(const char *directory, const char *name)
{
  text out;
  text_init(&out);
  text_add(&out, directory);
  if (out.length && out.data[out.length - 1] != '/')
    text_add_char(&out, '/');
  text_add(&out, name);
  return text_take(&out);
}

bool path_is_directory(const char *path)
{
  struct stat s;
  return !stat(path, &s) && S_ISDIR(s.st_mode);
}

bool path_exists(const char *path)
{
  struct stat s;
  return !stat(path, &s);
}

bool path_has_suffix(const char *path, const char *suffix)
{
  size_t n = strlen(path), m = strlen(suffix);
  return n > m && !strcmp(path + n - m, suffix);
}

/* The folder of the running program; NULL where it cannot be told. */
static char *own_directory(void)
{
  char path[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0)
    return NULL;
  path[n] = 0;
  char *slash = strrchr(path, '/');
  if (!slash)
    return NULL;
  *slash = 0;
  return memory_copy_string(*path ? path : "/");
}

char *path_data(void)
{
  char *own = own_directory(), *result = NULL;
  if (own) {
    char *mark = path_join(own, "source-tree");
    diag *silent = diag_create(NULL, 0);
    diag_source *s = path_exists(mark) ? diag_source_read(silent, mark, PATH_MAX) : NULL;
    if (s) {
      s->text[strcspn(s->text, "\n")] = 0;
      if (s->text[0])
        result = memory_copy_string(s->text);
    }
    diag_source_destroy(s);
    diag_destroy(silent);
    free(mark);
  }
  free(own);
  char *real = result ? realpath(result, NULL) : NULL; /* a build tree may name its source by way of itself */
  if (real) {
    free(result);
    result = real;
  }
  return result ? result : memory_copy_string(ASSAY_PKGDATADIR);
}

static bool is_program(const char *path)
{
  return !access(path, X_OK) && !path_is_directory(path);
}

char *path_judge(void)
{
  char *own = own_directory();
  if (own) {
    char *judge = path_join(own, "assay-verify");
    free(own);
    if (is_program(judge))
      return judge;
    free(judge);
  }
  const char *way = getenv("PATH");
  while (way && *way) {
    size_t n = strcspn(way, ":");
    if (n > 0) { /* an empty entry means the current folder, which is no place to take a judge from */
      text folder;
      text_init(&folder);
      text_add_bytes(&folder, way, n);
      char *judge = path_join(text_string(&folder), "assay-verify");
      text_clear(&folder);
      if (is_program(judge))
        return judge;
      free(judge);
    }
    way += n + (way[n] == ':');
  }
  return NULL;
}

static int compare_strings(const void *a, const void *b)
{
  const char *const *x = a, *const *y = b;
  return strcmp(*x, *y);
}

static void append(path_list *list, char *item)
{
  list->item = memory_resize(list->item, list->count + 1, sizeof *list->item);
  list->item[list->count++] = item;
}

static bool find_files(path_list *list, diag *d, const char *directory, const char *suffix, unsigned level)
{
  DIR *open = opendir(directory);
  if (!open) {
    diag_error_plain(d, "cannot open %s: %s", directory, strerror(errno));
    return false;
  }
  bool fine = true;
  for (struct dirent *e; fine && (e = readdir(open));) {
    if (e->d_name[0] == '.')
      continue;
    char *path = path_join(directory, e->d_name);
    if (path_is_directory(path)) {
      if (level + 1 < MOST_LEVELS)
        fine = find_files(list, d, path, suffix, level + 1);
    } else if (path_has_suffix(path, suffix)) {
      append(list, path);
      continue;
    }
    free(path);
  }
  closedir(open);
  return fine;
}

bool path_find_files(path_list *list, diag *d, const char *directory, const char *suffix)
{
  size_t before = list->count;
  bool fine = find_files(list, d, directory, suffix, 0);
  if (list->count > before)
    qsort(list->item + before, list->count - before, sizeof *list->item, compare_strings);
  return fine;
}

bool path_make_directory(diag *d, const char *path)
{
  char *copy = memory_copy_string(path);
  bool fine = true;
  for (char *s = copy + 1; fine && *copy; s++) {
    if (*s && *s != '/')
      continue;
    char saved = *s;
    *s = 0;
    if (mkdir(copy, 0777) && !path_is_directory(copy)) {
      int why = errno;
      diag_error_plain(d, "cannot make the folder %s: %s", copy, strerror(why));
      fine = false;
    }
    *s = saved;
    if (!saved)
      break;
  }
  free(copy);
  return fine;
}

void path_remove_tree(const char *path)
{
  struct stat s;
  if (lstat(path, &s))
    return;
  if (!S_ISDIR(s.st_mode)) {
    unlink(path);
    return;
  }
  DIR *open = opendir(path);
  for (struct dirent *e; open && (e = readdir(open));)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
      char *inner = path_join(path, e->d_name);
      path_remove_tree(inner);
      free(inner);
    }
  if (open)
    closedir(open);
  rmdir(path);
}
