/** Upstreams made of providers with key slots, and the rules that limit their load. */
@NullMarked
package io.weir.providers.rule;

import org.jspecify.annotations.NullMarked;
