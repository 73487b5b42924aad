/** Calls that wait as they are told and are sent again, whatever sends them. */
@NullMarked
package io.weir.client.retry;

import org.jspecify.annotations.NullMarked;
