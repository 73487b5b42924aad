/**
 * All the rules, compiled: operations, plans, tenants and subjects. The types of fields are in {@code schema}, and
 * {@code read} makes a policy of a document; neither {@code schema} nor this package needs a reader.
 */
@NullMarked
package io.weir.core.policy;

import org.jspecify.annotations.NullMarked;
