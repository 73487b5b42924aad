/** Calls that go out: they wait as they are told, and show their tickets. */
@NullMarked
package io.weir.spring.client;

import org.jspecify.annotations.NullMarked;
