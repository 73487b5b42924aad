/** Weir in applications of Spring Boot: what is configured, and how it starts. */
@NullMarked
package io.weir.spring;

import org.jspecify.annotations.NullMarked;
