/** What a node does by itself while the shared state is away. */
@NullMarked
package io.weir.state.degraded;

import org.jspecify.annotations.NullMarked;
