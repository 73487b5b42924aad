/** Recorded decisions, decided again. */
@NullMarked
package io.weir.demo.replay;

import org.jspecify.annotations.NullMarked;
