/** The cluster as it is now: its nodes, and what they decided in the last minutes. */
@NullMarked
package io.weir.insight.live;

import org.jspecify.annotations.NullMarked;
