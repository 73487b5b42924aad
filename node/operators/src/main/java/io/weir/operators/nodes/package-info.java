/** Questions to all nodes of the cluster. */
@NullMarked
package io.weir.operators.nodes;

import org.jspecify.annotations.NullMarked;
