/** A JDK HTTP client that waits as servers say and retries. */
@NullMarked
package io.weir.client;

import org.jspecify.annotations.NullMarked;
