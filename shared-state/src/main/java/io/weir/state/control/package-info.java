/** The policy in force for the cluster, kept and announced through Redisson. */
@NullMarked
package io.weir.state.control;

import org.jspecify.annotations.NullMarked;
