/** Waits and retries for Vert.x's web client. */
@NullMarked
package io.weir.client.vertx;

import org.jspecify.annotations.NullMarked;
