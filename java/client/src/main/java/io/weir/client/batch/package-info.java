/** Batches of Weir: operations in order, each executed once, despite failures. */
@NullMarked
package io.weir.client.batch;

import org.jspecify.annotations.NullMarked;
