/** What a node does for a decision without asking anybody, with JMH. */
@NullMarked
package io.weir.benchmarks.core;

import org.jspecify.annotations.NullMarked;
