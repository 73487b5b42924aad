/** The policy in force for the cluster, kept and announced through Redisson. */
@NullMarked
package io.weir.state.policy;

import org.jspecify.annotations.NullMarked;
