/* Ctrl-C and SIGTERM ask the audit to come to an end and report what is known; a second Ctrl-C kills. */
#ifndef ASSAY_CLI_SIGNALS_H
#define ASSAY_CLI_SIGNALS_H

/* Holds SIGINT and SIGTERM back, from the first line of main on and across exec, until one of the following
 * says what becomes of them. Nothing that takes long may stand between. */
void signals_hold(void);
/* Takes the signals over. The flag becomes nonzero when one arrives, or has been held back. */
const volatile int *signals_install(void);
/* Leaves them to kill the program. */
void signals_release(void);

#endif
