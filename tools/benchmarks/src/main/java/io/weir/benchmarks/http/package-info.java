/** Weir over HTTP beside plain Vert.x. */
@NullMarked
package io.weir.benchmarks.http;

import org.jspecify.annotations.NullMarked;
