/** Leases of this node in the shared state: how they are renewed, and how their ends are told. */
@NullMarked
package io.weir.state.keep;

import org.jspecify.annotations.NullMarked;
