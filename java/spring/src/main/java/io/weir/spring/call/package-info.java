/** Methods of beans that are limited. */
@NullMarked
package io.weir.spring.call;

import org.jspecify.annotations.NullMarked;
