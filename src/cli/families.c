/* Reading the descriptions of model families. */
#include "cli/families.h"

#include <stdlib.h>

#include "cli/paths.h"
#include "core/memory.h"

static bool add_file(family_list *list, diag *d, const char *path)
{
  library *l = library_read(d, path, 0);
  if (!l)
    return false;
  list->library = memory_resize(list->library, list->libraries + 1, sizeof *list->library);
  list->library[list->libraries++] = l;
  unsigned n = library_families(l);
  list->family = memory_resize(list->family, list->count + n, sizeof *list->family);
  for (unsigned i = 0; i < n; i++)
    list->family[list->count++] = library_family(l, i);
  return true;
}

static bool add_folder(family_list *list, diag *d, const char *folder)
{
  path_list files = {0};
  bool fine = path_find_files(&files, d, folder, ".family");
  for (size_t i = 0; i < files.count && fine; i++)
    fine = add_file(list, d, files.item[i]);
  path_list_clear(&files);
  return fine;
}

bool families_read(family_list *list, diag *d, const char *path)
{
  *list = (family_list){0};
  bool fine = true;
  if (path) {
    fine = path_is_directory(path) ? add_folder(list, d, path) : add_file(list, d, path);
    if (fine && list->count == 0) {
      diag_error_plain(d, "%s: it describes no family", path);
      fine = false;
    }
  }
  char *data = path_data(), *cases = path_join(data, "cases"), *bundled = path_join(cases, "families");
  fine = fine && add_folder(list, d, bundled);
  free(data);
  free(cases);
  free(bundled);
  if (!fine)
    families_clear(list);
  return fine;
}

void families_clear(family_list *list)
{
  for (size_t i = 0; i < list->libraries; i++)
    library_destroy(list->library[i]);
  free(list->library);
  free(list->family);
  *list = (family_list){0};
}
