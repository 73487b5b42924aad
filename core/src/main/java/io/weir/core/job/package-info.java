/** Jobs: requests that are accepted now and executed later, with their states, settings and etas. */
@NullMarked
package io.weir.core.job;

import org.jspecify.annotations.NullMarked;
