/* An audit as JUnit XML. */
#include "report/junit.h"

#include <string.h>

#include "report/instance_text.h"
#include "report/json_make.h"
#include "report/outcome.h"

/* Characters that stand for themselves but for those of markup; what is not UTF-8 was made so by Jansson. */
static void put_escaped(FILE *out, const char *s)
{
  json_t *clean = json_make_string(s);
  for (const unsigned char *p = (const unsigned char *)json_string_value(clean); *p; p++)
    switch (*p) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    case '\t':
    case '\n':
    case '\r': /* as references, which an attribute keeps */
      fprintf(out, "&#%d;", *p);
      break;
    case 0xEF: /* U+FFFE and U+FFFF are no characters */
      if (p[1] == 0xBF && p[2] >= 0xBE) {
        fputc('?', out);
        p += 2;
      } else
        fputc(*p, out);
      break;
    default:
      fputc(*p < 0x20 ? '?' : *p, out);
    }
  json_decref(clean);
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
  fprintf(out, " %s=\"", name);
  put_escaped(out, value);
  fputc('"', out);
}

static double seconds_of(const check_result *r)
{
  return r && r->seconds >= 0 && r->seconds < 1e9 ? r->seconds : 0;
}

/* What the line of a table would say. */
static void put_detail(FILE *out, const check_result *r)
{
  text detail;
  text_init(&detail);
  if (r->counterexample) {
    witness_print_broken(&detail, r->counterexample);
    text_add(&detail, " is false with ");
    sizes_print(&detail, r->claim, r->counterexample->instance.size);
    text_add(&detail, r->claim->sizes && r->counterexample->instance.elements ? "; " : "");
    instance_print_short(&detail, &r->counterexample->instance);
  } else if (r->reason)
    text_add(&detail, r->reason);
  put_escaped(out, text_string(&detail));
  text_clear(&detail);
}

static void write_item(FILE *out, const junit_item *item)
{
  const check_result *r = item->result;
  fputs("    <testcase", out);
  put_attribute(out, "classname", item->statement);
  put_attribute(out, "name", item->name);
  if (r)
    put_attribute(out, "file", r->file);
  fprintf(out, " time=\"%.3f\">\n", seconds_of(r));
  text outcome;
  text_init(&outcome);
  outcome_print(&outcome, r);
  if (!r) {
    fputs("      <error", out);
    put_attribute(out, "message", text_string(&outcome));
    fputs("/>\n", out);
  } else if (!outcome_is_fine(r)) {
    fputs("      <failure", out);
    put_attribute(out, "message", text_string(&outcome));
    put_attribute(out, "type", verdict_name(r->verdict));
    fputc('>', out);
    put_detail(out, r);
    fputs("</failure>\n", out);
  } else {
    fputs("      <system-out>", out);
    put_escaped(out, text_string(&outcome));
    fputs("</system-out>\n", out);
  }
  text_clear(&outcome);
  fputs("    </testcase>\n", out);
}

void junit_write(FILE *out, const junit_item *item, size_t count)
{
  size_t failures = 0, errors = 0;
  double seconds = 0;
  for (size_t i = 0; i < count; i++) {
    errors += !item[i].result;
    failures += item[i].result && !outcome_is_fine(item[i].result);
    seconds += seconds_of(item[i].result);
  }
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
  fprintf(out,
          "  <testsuite name=\"assay audit\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" "
          "time=\"%.3f\">\n",
          count, failures, errors, seconds);
  for (size_t i = 0; i < count; i++)
    write_item(out, &item[i]);
  fputs("  </testsuite>\n</testsuites>\n", out);
}
