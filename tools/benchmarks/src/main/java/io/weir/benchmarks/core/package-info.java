/** JMH benchmarks of a node's own work for a decision. */
@NullMarked
package io.weir.benchmarks.core;

import org.jspecify.annotations.NullMarked;
