/**
 * What would be decided if it were enforced: limits in audit mode, and a candidate for the policy, decided beside what
 * counts.
 */
@NullMarked
package io.weir.operators.rehearsal;

import org.jspecify.annotations.NullMarked;
