/** A whole cluster on one machine, and the programs that drive it. */
@NullMarked
package io.weir.cluster.local;

import org.jspecify.annotations.NullMarked;
