/** Requests that come in: they are limited before a controller sees them. */
@NullMarked
package io.weir.spring.web;

import org.jspecify.annotations.NullMarked;
