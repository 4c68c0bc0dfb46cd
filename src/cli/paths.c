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

/* Appends one component to a tidy path; ".." takes the last one away where that is a name. */
static void add_component(text *out, const char *name, size_t length)
{
  if (length == 0 || (length == 1 && *name == '.'))
    return;
  size_t last = out->length;
  while (last > 0 && out->data[last - 1] != '/')
    last--;
  bool named = out->length > last && strcmp(out->data + last, "..");
  if (length == 2 && !strncmp(name, "..", 2) && named) {
    out->length = last > 1 ? last - 1 : last; /* the slash that is the root stays */
    out->data[out->length] = 0;
    return;
  }
  if (out->length && out->data[out->length - 1] != '/')
    text_add_char(out, '/');
  text_add_bytes(out, name, length);
}

bool path_is_same_file(const char *a, const char *b)
{
  struct stat x, y;
  return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

char *path_tidy(const char *path)
{
  if (!strstr(path, "/../"))
    return memory_copy_string(path);
  text out;
  text_init(&out);
  text_add(&out, *path == '/' ? "/" : "");
  for (const char *s = path; *s; s += strspn(s, "/")) {
    size_t n = strcspn(s, "/");
    add_component(&out, s, n);
    s += n;
  }
  bool better = text_string(&out)[0] != '-' && path_is_same_file(path, text_string(&out));
  char *tidy = better ? text_take(&out) : memory_copy_string(path);
  text_clear(&out);
  return tidy;
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

/* A link may lead anywhere, back to where the walk began too. */
static bool is_plain_directory(const char *path)
{
  struct stat s;
  return !lstat(path, &s) && S_ISDIR(s.st_mode);
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
    if (is_plain_directory(path)) {
      if (level + 1 < MOST_LEVELS)
        fine = find_files(list, d, path, suffix, level + 1);
      else {
        diag_error_plain(d, "%s lies more than %d folders deep", path, MOST_LEVELS - 1);
        fine = false;
      }
    } else if (path_has_suffix(path, suffix) && !path_is_directory(path)) {
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

char *path_make_temporary(diag *d)
{
  const char *folder = getenv("TMPDIR");
  char *path = path_join(folder && *folder ? folder : "/tmp", "assay-XXXXXX");
  if (mkdtemp(path))
    return path;
  int why = errno;
  diag_error_plain(d, "cannot make a folder like %s: %s", path, strerror(why));
  free(path);
  return NULL;
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
    int why = mkdir(copy, 0777) ? errno : 0;
    if (why && !path_is_directory(copy)) {
      diag_error_plain(d, "cannot make the folder %s: %s", copy, strerror(why == EEXIST ? ENOTDIR : why));
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
