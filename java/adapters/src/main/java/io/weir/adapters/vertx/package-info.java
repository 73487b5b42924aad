/** A handler of Vert.x-Web. */
@NullMarked
package io.weir.adapters.vertx;

import org.jspecify.annotations.NullMarked;
