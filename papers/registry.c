/* Registry of papers: one line here, one folder beside it. */
#include "papers/paper.h"

#include <string.h>

extern const ff_paper ff_paper_azad_featherstone_2010;
extern const ff_paper ff_paper_brown_mcphee_2018;
extern const ff_paper ff_paper_chakraborty_2007;
extern const ff_paper ff_paper_marhefka_orin_1996;
extern const ff_paper ff_paper_sugihara_nakamura_2003;

static const ff_paper *const papers[] = {
    &ff_paper_brown_mcphee_2018, &ff_paper_marhefka_orin_1996,     &ff_paper_azad_featherstone_2010,
    &ff_paper_chakraborty_2007,  &ff_paper_sugihara_nakamura_2003,
};

int ff_paper_count(void) {
  return (int)(sizeof papers / sizeof *papers);
}

const ff_paper *ff_paper_at(int index) {
  return papers[index];
}

/* The year may be omitted: "brown-mcphee". */
static bool is_key(const char *key, const char *word) {
  size_t length = strlen(word);
  return strncmp(key, word, length) == 0 &&
         (key[length] == '\0' || (key[length] == '-' && strchr("12", key[length + 1])));
}

const ff_paper *ff_paper_find(const char *key) {
  for (int i = 0; i < ff_paper_count(); i++) {
    if (is_key(papers[i]->key, key)) {
      return papers[i];
    }
  }
  return NULL;
}
