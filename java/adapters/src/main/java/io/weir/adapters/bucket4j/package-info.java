/** Buckets of Bucket4j, kept in the Redis of Weir. */
@NullMarked
package io.weir.adapters.bucket4j;

import org.jspecify.annotations.NullMarked;
