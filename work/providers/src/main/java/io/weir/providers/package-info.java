/** Upstreams made of providers: each request gets a send slot at one of them, with one of our keys. */
@NullMarked
package io.weir.providers;

import org.jspecify.annotations.NullMarked;
