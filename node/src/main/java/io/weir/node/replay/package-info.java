/** Recorded decisions, decided again. */
@NullMarked
package io.weir.node.replay;

import org.jspecify.annotations.NullMarked;
