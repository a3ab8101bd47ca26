/* The sets: their texts, and the folder in which a fit finds them with its data. */
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "footfall/io.h"
#include "study/set.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct set_entry {
  ff_set set;
  ff_set_loader load;
  const char *data;     /* prefix of its tables */
  const char *files[4]; /* of sets/; the fit first */
} set_entry;

static const set_entry sets[] = {
    {{"cube-tosses", "tosses of a cube of 105 mm, tracked at 148 Hz",
      "data/tosses_processed of github.com/DAIRLab/contact-nets, BSD-3-Clause"},
     ff_set_load_tosses,
     "tosses",
     {"cube-tosses.yaml", "cube-tosses-scene.yaml"}},
    {{"ellipse-impacts", "planar impacts of an ellipse of 70 mm by 50 mm on a plate",
      "ellipse_uniform.mat of github.com/DAIRLab/ImpactModeling, BSD-3-Clause"},
     ff_set_load_ellipse,
     "impacts",
     {"ellipse-impacts.yaml", "ellipse-impacts-scene.yaml"}},
    {{"square-impacts", "planar impacts of a square of 60 mm on a plate",
      "squareDataPhilUpdated.mat of github.com/DAIRLab/ImpactModeling, BSD-3-Clause"},
     ff_set_load_square,
     "impacts",
     {"square-impacts.yaml", "square-impacts-scene.yaml"}},
    {{"stances", "stance phases of walking: markers at the foot, force plate",
      "data of github.com/BMClab/BMC, CC BY 4.0"},
     ff_set_load_stances,
     "stance",
     {"stances.yaml", "stances-scene.yaml"}},
};
enum { SET_COUNT = sizeof sets / sizeof *sets };

ff_set ff_set_at(int index) {
  return index >= 0 && index < SET_COUNT ? sets[index].set : (ff_set){0};
}

static const char *set_text(const char *name) {
  for (int i = 0; i < ff_set_text_count; i++) {
    const char *slash = strrchr(ff_set_texts[i].path, '/');
    if (strcmp(slash ? slash + 1 : ff_set_texts[i].path, name) == 0) {
      return ff_set_texts[i].text;
    }
  }
  return "";
}

/* A data section for every table of a prefix; their names are listed in `work`. */
static ff_status set_write_sections(FILE *out, const char *section, const char *work,
                                    const char *prefix, bool held_out, ff_report *report) {
  char **names;
  int count;
  ff_status status = ff_set_list(work, ".csv", &names, &count, report);
  for (int i = 0; i < count && status == FF_OK; i++) {
    if (strncmp(names[i], prefix, strlen(prefix)) == 0) {
      fprintf(out, "  - files: \"%s\"\n%s", names[i], held_out ? "    held-out: true\n" : "");
      fputs(section, out);
    }
  }
  ff_set_free_names(names, count);
  return status;
}

/* Prints text[0 .. size - 1], without its line `hold-out: ...` if other data judge. */
static void set_write_text(FILE *out, const char *text, size_t size, bool judged) {
  static const char hold[] = "\nhold-out:";
  const char *found = judged ? strstr(text, hold) : NULL, *end = text + size;
  if (found && found < end) {
    fwrite(text, 1, (size_t)(found - text), out);
    text = strchr(found + 1, '\n');
  }
  fwrite(text, 1, (size_t)(end - text), out);
}

/* The fit with its data: the text of a set has, instead of the list of data, the line `data: #
 * each` with the keys of a section below it. */
static ff_status set_write_fit(const set_entry *entry, const char *work, bool judged,
                               char path[FF_SET_PATH_MAX], ff_report *report) {
  static const char mark[] = "\ndata: # each\n";
  const char *text = set_text(entry->files[0]), *at = strstr(text, mark);
  const char *first = at ? at + strlen(mark) : NULL, *end = at ? strstr(first, "\n\n") : NULL;
  char *out_text = NULL, *section = end ? ff_alloc((size_t)(end + 2 - first), 1) : NULL;
  size_t size;
  FILE *out = section ? open_memstream(&out_text, &size) : NULL;
  ff_status status = out ? FF_OK : FF_ERROR_MEMORY;
  if (out) {
    memcpy(section, first, (size_t)(end + 1 - first));
    set_write_text(out, text, (size_t)(at - text), judged);
    fputs("\ndata:\n", out);
    status = set_write_sections(out, section, work, entry->data, false, report);
    if (status == FF_OK && judged) {
      status = set_write_sections(out, section, work, "judge", true, report);
    }
    set_write_text(out, end, strlen(end), judged);
    fclose(out);
  }
  ff_free(section);
  ff_file *file = NULL;
  ff_set_path(path, work, entry->files[0]);
  status = status == FF_OK ? ff_file_create(&file, path, report) : status;
  if (status == FF_OK) {
    ff_file_write(file, out_text, strlen(out_text));
    status = ff_file_commit(file, report);
  }
  free(out_text);
  return status;
}

static ff_status set_write_scene(const set_entry *entry, const char *work, ff_report *report) {
  char path[FF_SET_PATH];
  ff_file *file = NULL;
  const char *text = set_text(entry->files[1]);
  ff_set_path(path, work, entry->files[1]);
  ff_status status = ff_file_create(&file, path, report);
  if (status == FF_OK) {
    ff_file_write(file, text, strlen(text));
    status = ff_file_commit(file, report);
  }
  return status;
}

ff_status ff_set_prepare(char path[FF_SET_PATH_MAX], const char *set, const char *data,
                         const char *judge, const char *work, ff_report *report) {
  const char *names[SET_COUNT];
  const set_entry *entry = NULL;
  if (report) {
    memset(report, 0, sizeof *report);
  }
  for (int i = 0; i < SET_COUNT; i++) {
    names[i] = sets[i].set.name;
    entry = strcmp(set, names[i]) == 0 ? &sets[i] : entry;
  }
  if (!entry) {
    return ff_report_unknown(report, "set", set, names, SET_COUNT);
  }
  ff_status status = entry->load(data, work, entry->data, report);
  if (status == FF_OK && judge) {
    status = entry->load(judge, work, "judge", report);
  }
  status = status == FF_OK ? set_write_scene(entry, work, report) : status;
  return status == FF_OK ? set_write_fit(entry, work, judge != NULL, path, report) : status;
}

void ff_set_remove(const char *work) {
  static const char *const endings[] = {".csv", ".yaml"};
  for (int pass = 0; pass < 2; pass++) {
    char **names, path[FF_SET_PATH];
    int count;
    if (ff_set_list(work, endings[pass], &names, &count, NULL) != FF_OK) {
      return;
    }
    for (int i = 0; i < count; i++) {
      bool ours = strcmp(endings[pass], ".yaml") == 0 && *set_text(names[i]);
      for (int k = 0; k < SET_COUNT; k++) {
        ours = ours || strncmp(names[i], sets[k].data, strlen(sets[k].data)) == 0;
      }
      ours = ours || strncmp(names[i], "judge", 5) == 0;
      ff_set_path(path, work, names[i]);
      if (ours) {
        ff_file_remove(path);
      }
    }
    ff_set_free_names(names, count);
  }
  rmdir(work);
}
