/** Local decisions of a node while the shared state is away. */
@NullMarked
package io.weir.state.degraded;

import org.jspecify.annotations.NullMarked;
