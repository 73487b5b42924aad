/** Upstreams of several providers: chooses the provider and the time for each request, and learns from the outcomes. */
@NullMarked
package io.weir.providers.slot;

import org.jspecify.annotations.NullMarked;
