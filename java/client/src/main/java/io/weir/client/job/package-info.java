/** Jobs: requests that are accepted now and executed later. */
@NullMarked
package io.weir.client.job;

import org.jspecify.annotations.NullMarked;
