/** The buckets in Redis: charges that arrive together are sent in one call. */
@NullMarked
package io.weir.state.lane;

import org.jspecify.annotations.NullMarked;
