/** Where requests go: upstreams made of providers with key slots, and how they are spared. */
@NullMarked
package io.weir.upstream;

import org.jspecify.annotations.NullMarked;
