/**
 * Assignments: parts of a limit, a rate and a burst each, that clients spend for some seconds without a call. Pure: time is
 * an argument.
 */
@NullMarked
package io.weir.core.assignment;

import org.jspecify.annotations.NullMarked;
