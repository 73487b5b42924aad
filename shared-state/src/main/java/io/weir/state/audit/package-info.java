/** The changes and their authors: a bounded list for people. */
@NullMarked
package io.weir.state.audit;

import org.jspecify.annotations.NullMarked;
