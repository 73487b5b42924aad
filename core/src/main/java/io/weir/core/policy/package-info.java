/** All the rules: operations, buckets, plans, tenants and subjects, read strictly and compiled once. */
@NullMarked
package io.weir.core.policy;

import org.jspecify.annotations.NullMarked;
