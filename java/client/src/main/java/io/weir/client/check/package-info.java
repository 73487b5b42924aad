/** Decisions of a cluster for programs that do their work themselves: {@code POST /v1/check}, in batches. */
@NullMarked
package io.weir.client.check;

import org.jspecify.annotations.NullMarked;
