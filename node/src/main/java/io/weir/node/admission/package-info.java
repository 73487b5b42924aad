/** Whether a request may pass: who asks, for which operation, at what cost, and what the throttle says. */
@NullMarked
package io.weir.node.admission;

import org.jspecify.annotations.NullMarked;
