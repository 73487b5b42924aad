/** The rules by which an HTTP request is sent again: named waits, and methods that may be repeated. */
@NullMarked
package io.weir.client.answer;

import org.jspecify.annotations.NullMarked;
