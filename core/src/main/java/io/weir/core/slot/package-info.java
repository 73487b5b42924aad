/** Places: capacity that is kept for denied callers at their retry times. */
@NullMarked
package io.weir.core.slot;

import org.jspecify.annotations.NullMarked;
