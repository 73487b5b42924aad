/** The cluster as it is now: its nodes, and what they decided in the last minutes. */
@NullMarked
package io.weir.operators.live;

import org.jspecify.annotations.NullMarked;
