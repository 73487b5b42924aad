/** All the rules: operations, buckets, plans, tenants and subjects, read strictly and compiled once. */
@NullMarked
package io.weir.policy;

import org.jspecify.annotations.NullMarked;
