/* What the parser builds: the claims of one file as they were written, before inheritance and names are
 * settled.
 *
 * Everything lives in the region of the library, numbers apart, which the library keeps a list of.
 * Expressions are nodes of tree.h whose kinds are final but for names: each is a NODE_NAME, with its indices
 * as children. */
#ifndef ASSAY_LANG_SYNTAX_H
#define ASSAY_LANG_SYNTAX_H

#include "core/diag.h"
#include "core/memory.h"
#include "lang/claim.h"
#include "lang/names.h"
#include "lang/tree.h"
#include "lang/tree_memory.h"

/* A name that resolution has yet to look up. Of no concern outside this room. */
#define NODE_NAME ((node_kind)(NODE_VARIABLE + 1))
/* A string in the place of an index: the name of a table's row or column. */
#define NODE_STRING ((node_kind)(NODE_VARIABLE + 2))

enum {
  SYNTAX_ERRORS = 20,           /* reading stops after so many */
  SYNTAX_NODES = 1 << 21,       /* nodes of all expressions of one library */
  SYNTAX_NAME_BYTES = 200,      /* length of a name */
  SYNTAX_NUMBER_BYTES = 1 << 26 /* memory of all number literals of one library */
};

typedef enum {
  DECLARE_SIZE, DECLARE_TRY, DECLARE_GIVEN, DECLARE_RANDOM, DECLARE_LET, DECLARE_ASSUME, DECLARE_SHOW, DECLARE_POSSIBLE,
  DECLARE_TRIVIAL, DECLARE_DROP, DECLARE_REPLACE, DECLARE_TITLE, DECLARE_SOURCE
} declare_kind;

typedef struct declaration declaration;
struct declaration {
  declare_kind kind;
  const char *name; /* of the thing declared, or its label; title and source: the text */
  diag_place place; /* of the name */
  unsigned positions;
  claim_position *position;
  node *low, *high; /* size, try, given */
  bool low_open, high_open;
  const char *role;
  unsigned stored; /* of a tensor, a given of a family: its names in files */
  const char **stored_as;
  const table_lines *table; /* of a given: the table that it is a line of; NULL: none */
  node *body; /* let and labels; of a random family: its variance; of a tensor: its value where no file has it, NULL: none */
  declaration *next;
};

typedef struct syntax_claim syntax_claim;
struct syntax_claim {
  const char *name;
  diag_place place;
  const char *parent_file; /* as written; NULL: this file */
  const char *parent;      /* NULL: derived from nothing */
  diag_place parent_place;
  declaration *first, *last;
  claim_kind kind;
  const char *comment, *preface; /* lang/comment.h; NULL: none */
  bool family;
  bool ended; /* `end` was seen */
  syntax_claim *next;
};

/* What one file says. */
typedef struct {
  syntax_claim *first, *last;
  unsigned claims;
} syntax_file;

/* Memory and counts shared by all that is read into one library. */
typedef struct {
  diag *d;
  tree_memory *memory; /* of everything */
  memory_region *region; /* its region */
  names *words; /* names interned: equal names are equal pointers */
  const char **word;
  unsigned word_count, word_capacity;
  size_t number_bytes;
  struct syntax_table **table; /* read for this library (lang/table_given.c) */
  unsigned tables;
  unsigned nodes;
  unsigned max_depth;
} syntax_store;

void syntax_store_init(syntax_store *s, diag *d, unsigned max_depth);
void syntax_store_clear(syntax_store *s);
/* The one copy of a name. */
const char *syntax_word(syntax_store *s, const char *bytes, size_t length);
/* A new number, 0, that dies with the store. */
fmpq *syntax_number(syntax_store *s);

/* Reads a file into *file. Errors go to the store's diag; false if there were any. */
bool syntax_parse(syntax_store *s, syntax_file *file, const diag_source *source);

/* Checks that a text is UTF-8 without NUL or control characters but tab, line feed and carriage return. A
 * byte order mark at its begin is skipped: *skip is its length. Only the first offence is reported; `what` is what the
 * source should be ("a claim file"). */
bool syntax_check_text(diag *d, const diag_source *source, size_t *skip, const char *what);

/* A list while it grows. */
typedef struct {
  void **item;
  unsigned count, capacity;
} syntax_list;

/* What the lexer and the parser share. */
typedef struct {
  syntax_store *store;
  const diag_source *source;
  syntax_file *file;
  diag_place at;    /* where the next token begins */
  unsigned nesting; /* brackets open */
  bool stop;        /* give up: an error that leaves no way on */
  node *deepest;    /* the first node that was too deep */
} syntax_reader;

/* Error at a place; sets `stop` when there have been enough. */
void syntax_error(syntax_reader *r, diag_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Builders. They count nodes and depth and set `stop` at a limit. */
node *syntax_node(syntax_reader *r, node_kind kind, diag_place place, unsigned children);
node *syntax_unary(syntax_reader *r, node_kind kind, diag_place place, node *a);
node *syntax_binary(syntax_reader *r, node_kind kind, diag_place place, node *a, node *b);
node *syntax_with_list(syntax_reader *r, node_kind kind, diag_place place, const syntax_list *children);
node *syntax_integral(syntax_reader *r, diag_place place, const claim_position *range, node *body);
node *syntax_fold(syntax_reader *r, fold_kind fold, diag_place place, const syntax_list *ranges, node *body);
syntax_list *syntax_list_new(syntax_reader *r);
void syntax_list_add(memory_region *region, syntax_list *l, void *item);
claim_position *syntax_position(syntax_reader *r, diag_place place, const char *name, node *low, node *high);
declaration *syntax_declare(syntax_reader *r, declare_kind kind, diag_place place, const char *name);
void syntax_set_positions(syntax_reader *r, declaration *d, const syntax_list *positions);
void syntax_add_claim(syntax_reader *r, diag_place place, const char *name, bool family);
/* What the last claim is: `reading`, `repair` or `contrast`. */
void syntax_set_kind(syntax_reader *r, diag_place place, const char *word);
/* The names of a tensor in files. */
void syntax_set_stored(syntax_reader *r, declaration *d, const syntax_list *strings);
/* A declaration that only a family may hold. */
void syntax_only_family(syntax_reader *r, diag_place place, const char *what);
void syntax_add_declaration(syntax_reader *r, declaration *d);

/* `file` as seen from the file `from`: in the same folder, unless it says otherwise. Appends. */
void syntax_relative_path(text *path, const char *from, const char *file);

/* `table NAME from "FILE" [truncated]`: reads the file and adds a line of the given NAME for each number printed there. */
void table_declare(syntax_reader *r, diag_place place, const char *name, diag_place file_place, const char *file,
                   bool truncated);
typedef struct syntax_table syntax_table;
void table_store_clear(syntax_store *s);

#endif
