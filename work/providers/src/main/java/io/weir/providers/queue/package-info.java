/** Requests that wait for a send slot, and the order in which they get one. */
@NullMarked
package io.weir.providers.queue;

import org.jspecify.annotations.NullMarked;
