/** A node: all doors to the throttle, served by Vert.x. */
@NullMarked
package io.weir.node;

import org.jspecify.annotations.NullMarked;
