/** Weir in the shape of a limiter of resilience4j. */
@NullMarked
package io.weir.adapters.resilience4j;

import org.jspecify.annotations.NullMarked;
