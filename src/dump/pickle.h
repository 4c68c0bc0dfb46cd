/* Python pickles, protocols 0 to 5, as inert values. Private to src/dump.
 *
 * A pickle is a program for a small stack machine. This one never imports, calls or builds anything: a class
 * or function is a pair of names, a call is a node that keeps what would have been called and with what. Only
 * the constructors of Python's own containers (a short list in pickle_build.c) become the containers that
 * they would have made. Memory comes from one region whose size is limited; so are the length of the program
 * (the contents of bytes objects apart, which are never copied), open marks, and the memo.
 *
 * Values refer to each other as they do in Python: one value may be a part of many, and of itself. Whoever
 * walks over them must count.
 *
 * Source: the comments of Python's module pickletools describe every opcode. */
#ifndef ASSAY_DUMP_PICKLE_H
#define ASSAY_DUMP_PICKLE_H

#include "dump/dump.h"

/* The bytes that a pickle is read from. They must outlive it. */
typedef struct {
  const char *file;          /* for messages */
  const unsigned char *data; /* the pickle begins here; more may follow it */
  uint64_t length;
  uint64_t base; /* of data[0] in the file */
  /* Where the bytes are those of a compressed member: its name and its place in the file, which is what
   * messages then point to. NULL otherwise. */
  const char *member;
  uint64_t member_place;
} pickle_source;

/* Sets an error about the byte `at` bytes behind the beginning of the source. */
void pickle_fail(const pickle_source *source, dump_error *error, uint64_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

typedef enum {
  PICKLE_NONE,
  PICKLE_BOOL,
  PICKLE_INT,
  PICKLE_NUMERAL, /* an integer beyond 64 bits as 0x..., a decimal fraction as it was written */
  PICKLE_FLOAT,
  PICKLE_STRING, /* UTF-8, perhaps with surrogates: not checked */
  PICKLE_BYTES,  /* bytes, bytearray, and the strings of Python 2 */
  PICKLE_LIST,
  PICKLE_TUPLE,
  PICKLE_SET, /* frozen or not */
  PICKLE_DICT,
  PICKLE_GLOBAL,    /* a class or function, by name */
  PICKLE_OBJECT,    /* what a class or function would have made */
  PICKLE_PERSISTENT /* a reference to something outside of the pickle */
} pickle_kind;

typedef struct pickle_value pickle_value;

typedef struct {
  pickle_value **items;
  size_t count, capacity;
} pickle_list;

typedef struct {
  const pickle_value *maker;     /* GLOBAL as a rule, but any value may stand here */
  const pickle_value *arguments; /* TUPLE as a rule; never NULL */
  const pickle_value *keywords;  /* or NULL */
  const pickle_value *state;     /* of BUILD; or NULL */
  pickle_list items;             /* appended */
  pickle_list entries;           /* keys and values in turn */
} pickle_object;

struct pickle_value {
  pickle_kind kind;
  unsigned char marks; /* for whoever walks over the values, like the next; 0 at first */
  size_t place;
  uint64_t at; /* of the opcode, from the beginning of the source */
  union {
    bool truth;
    int64_t integer;
    double number;
    struct {
      const char *data; /* not terminated; within the source's data, or else the pickle's own */
      size_t length;
    } text;           /* NUMERAL, STRING, BYTES */
    pickle_list list; /* LIST, TUPLE, SET; DICT: keys and values in turn, in order */
    struct {
      const char *module, *name; /* free of NUL */
    } global;
    pickle_object *object;
    const pickle_value *id; /* PERSISTENT */
  } u;
};

typedef struct pickle pickle;

/* Reads one pickle. *end = its length, the STOP included. NULL with `error` set. */
pickle *pickle_read(const pickle_source *source, const dump_limits *limits, uint64_t *end, dump_error *error);
void pickle_free(pickle *p);
pickle_value *pickle_root(const pickle *p);
/* Number of values. */
size_t pickle_count(const pickle *p);
/* The PERSISTENT values in their order. */
pickle_value *const *pickle_persistent(const pickle *p, size_t *count);

/* Whether it is the class or function of that name; `module` "a|b" stands for either. */
bool pickle_is_global(const pickle_value *value, const char *module, const char *name);
/* Whether it is STRING or BYTES, and that text. */
bool pickle_is_text(const pickle_value *value, const char *text);
/* The item of a tuple or list; NULL when it is none or too short. */
pickle_value *pickle_item(const pickle_value *value, size_t i);
/* The keys and values, in turn, of a DICT or of an object that behaves like one; NULL without. */
const pickle_list *pickle_entries(const pickle_value *value);
/* The last value under a text key; NULL without. */
pickle_value *pickle_get(const pickle_value *dict, const char *key);

#endif
