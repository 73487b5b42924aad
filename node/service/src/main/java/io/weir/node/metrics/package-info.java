/** The metrics of a node. */
@NullMarked
package io.weir.node.metrics;

import org.jspecify.annotations.NullMarked;
