/** A real Redis as a child process, for tests and local clusters. */
@NullMarked
package io.weir.embedded;

import org.jspecify.annotations.NullMarked;
