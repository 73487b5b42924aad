/** Ordered work in flight: ranges that are opened one after another, done in any order, and committed in order. */
@NullMarked
package io.weir.window;

import org.jspecify.annotations.NullMarked;
