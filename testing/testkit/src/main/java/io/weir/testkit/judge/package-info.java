/**
 * Judges of a limiter that know the definitions of its limits and nothing of its stores, and the histories that they
 * judge.
 */
@NullMarked
package io.weir.testkit.judge;

import org.jspecify.annotations.NullMarked;
