/** Buckets in Redis, by scripts that Lettuce sends. */
@NullMarked
package io.weir.state.redis;

import org.jspecify.annotations.NullMarked;
