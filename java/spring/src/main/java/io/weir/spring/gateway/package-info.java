/** Routes of Spring Cloud Gateway. */
@NullMarked
package io.weir.spring.gateway;

import org.jspecify.annotations.NullMarked;
