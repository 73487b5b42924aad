/** The records in Redis. */
@NullMarked
package io.weir.keys.store;

import org.jspecify.annotations.NullMarked;
