/** Decisions: allowed, denied or never allowed, with the state of the limits. */
@NullMarked
package io.weir.core.decision;

import org.jspecify.annotations.NullMarked;
