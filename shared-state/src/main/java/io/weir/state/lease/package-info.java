/** Buckets of scope {@code cluster} of which each node holds a lease. */
@NullMarked
package io.weir.state.lease;

import org.jspecify.annotations.NullMarked;
