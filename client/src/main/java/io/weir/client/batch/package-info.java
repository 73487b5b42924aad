/** Batches of Weir: operations in order, each once, whatever breaks. */
@NullMarked
package io.weir.client.batch;

import org.jspecify.annotations.NullMarked;
