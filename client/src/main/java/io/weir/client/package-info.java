/** A JDK HTTP client that waits as it is told and sends again. */
@NullMarked
package io.weir.client;

import org.jspecify.annotations.NullMarked;
