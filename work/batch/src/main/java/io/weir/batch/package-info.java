/** {@code POST /v1/batch}: operations in order, each once. */
@NullMarked
package io.weir.batch;

import org.jspecify.annotations.NullMarked;
