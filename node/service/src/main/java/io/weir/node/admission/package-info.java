/** Admission: whether a request may pass, by its subject, its operation, its cost and the throttle's decision. */
@NullMarked
package io.weir.node.admission;

import org.jspecify.annotations.NullMarked;
