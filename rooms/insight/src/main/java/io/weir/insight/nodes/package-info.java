/** Questions to all nodes of the cluster. */
@NullMarked
package io.weir.insight.nodes;

import org.jspecify.annotations.NullMarked;
