/** The send slots of all nodes, in Redis. */
@NullMarked
package io.weir.providers.store;

import org.jspecify.annotations.NullMarked;
