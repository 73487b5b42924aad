/** What would be decided now, and why. */
@NullMarked
package io.weir.operators.explain;

import org.jspecify.annotations.NullMarked;
