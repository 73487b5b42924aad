/** Reads policies strictly, and compiles plans and overrides. */
@NullMarked
package io.weir.core.policy.read;

import org.jspecify.annotations.NullMarked;
