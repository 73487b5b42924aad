/**
 * Weir inside a Java program. {@link io.weir.library.Weir} is the one class to begin with; its answers are {@link
 * io.weir.core.decision.Decision}s.
 */
@NullMarked
package io.weir.library;

import org.jspecify.annotations.NullMarked;
