/** A whole cluster on one machine, and what drives it. */
@NullMarked
package io.weir.node.local;

import org.jspecify.annotations.NullMarked;
