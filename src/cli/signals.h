/* Ctrl-C: the first one asks the audit to come to an end and report what is known; the second one kills. */
#ifndef ASSAY_CLI_SIGNALS_H
#define ASSAY_CLI_SIGNALS_H

/* Takes over SIGINT and SIGTERM. The flag becomes nonzero when one arrives. */
const volatile int *signals_install(void);

#endif
