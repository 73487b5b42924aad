/** Limits that requests carry, within the bounds of the policy. */
@NullMarked
package io.weir.node.resp.limit;

import org.jspecify.annotations.NullMarked;
