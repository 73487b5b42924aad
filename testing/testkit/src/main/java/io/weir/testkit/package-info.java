/** Shared test code: contracts, a manual clock, generated traces and Redis fixtures. */
@NullMarked
package io.weir.testkit;

import org.jspecify.annotations.NullMarked;
