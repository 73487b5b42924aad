/** A filter of JAX-RS. */
@NullMarked
package io.weir.adapters.jaxrs;

import org.jspecify.annotations.NullMarked;
