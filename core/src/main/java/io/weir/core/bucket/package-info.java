/** Leaky buckets in exact integers: the arithmetic of the throttle, without clock or I/O. */
@NullMarked
package io.weir.core.bucket;

import org.jspecify.annotations.NullMarked;
