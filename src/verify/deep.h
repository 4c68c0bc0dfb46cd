/* A deep stack: a recurrence that runs over a thousand steps is evaluated by a recursion as deep, on a stack
 * that was made for it. Its pages cost nothing until they are used. */
#ifndef ASSAY_VERIFY_DEEP_H
#define ASSAY_VERIFY_DEEP_H

#include <stdbool.h>

/* Calls f(argument) on a deep stack and waits for it. */
void deep_call(void (*f)(void *), void *argument);
/* True while there is stack left, in a function that deep_call has called; false outside. */
bool deep_enough(void);

#endif
