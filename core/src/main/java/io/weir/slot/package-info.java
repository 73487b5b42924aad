/** Places: who is denied is told a time of its own, and finds room when it comes then. */
@NullMarked
package io.weir.slot;

import org.jspecify.annotations.NullMarked;
