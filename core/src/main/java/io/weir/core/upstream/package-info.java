/** Upstreams made of providers with key slots, and the rules that limit their load. */
@NullMarked
package io.weir.core.upstream;

import org.jspecify.annotations.NullMarked;
