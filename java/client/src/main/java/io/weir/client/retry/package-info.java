/** Waits and retries of calls, independent of the protocol. */
@NullMarked
package io.weir.client.retry;

import org.jspecify.annotations.NullMarked;
