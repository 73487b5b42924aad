/** Who changed what: a bounded list for people. */
@NullMarked
package io.weir.state.audit;

import org.jspecify.annotations.NullMarked;
