/** Keys and tenants that are records of the shared state, not of the policy. */
@NullMarked
package io.weir.keys;

import org.jspecify.annotations.NullMarked;
