/** Replays recorded decisions. */
@NullMarked
package io.weir.demo.replay;

import org.jspecify.annotations.NullMarked;
