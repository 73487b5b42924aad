/** What senders of HTTP requests know before they send one again: named waits, and methods that may be repeated. */
@NullMarked
package io.weir.retry;

import org.jspecify.annotations.NullMarked;
