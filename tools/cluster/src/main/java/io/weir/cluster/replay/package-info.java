/** Replays recorded decisions. */
@NullMarked
package io.weir.cluster.replay;

import org.jspecify.annotations.NullMarked;
