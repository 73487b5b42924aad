/**
 * Leases: shares of a bucket that one node may spend by itself for some milliseconds, so that not every decision needs
 * the bucket of all tenants in Redis. Pure: time is an argument.
 */
@NullMarked
package io.weir.core.lease;

import org.jspecify.annotations.NullMarked;
