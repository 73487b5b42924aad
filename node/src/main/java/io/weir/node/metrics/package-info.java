/** What a node counts and times. */
@NullMarked
package io.weir.node.metrics;

import org.jspecify.annotations.NullMarked;
