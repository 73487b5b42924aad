/**
 * Leases: shares of a bucket that one node may spend by itself for some milliseconds, so that a bucket of all tenants needs
 * no place of its own in every decision. Pure: time is an argument.
 */
@NullMarked
package io.weir.lease;

import org.jspecify.annotations.NullMarked;
