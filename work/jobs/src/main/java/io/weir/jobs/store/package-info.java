/** The jobs of all nodes, in Redis. */
@NullMarked
package io.weir.jobs.store;

import org.jspecify.annotations.NullMarked;
