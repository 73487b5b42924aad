/**
 * Decisions by limits that are not enforced: limits in audit mode, and a candidate for the policy, beside the enforced
 * ones.
 */
@NullMarked
package io.weir.operators.rehearsal;

import org.jspecify.annotations.NullMarked;
