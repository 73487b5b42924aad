/** Buckets in memory: the reference for every other store. */
@NullMarked
package io.weir.state.memory;

import org.jspecify.annotations.NullMarked;
