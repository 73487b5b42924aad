/** Places: each denied caller gets its own retry time and is admitted if it returns then. */
@NullMarked
package io.weir.core.slot;

import org.jspecify.annotations.NullMarked;
