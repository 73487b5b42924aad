package io.weir.spring.call;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of a bean that holds the permits of an operation while it runs: until it returns, or until its stage or
 * publisher ends. A call for which there is no permit throws {@link RateLimitedException}, or ends with it.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Permitted {
  /** The name of the operation. */
  String operation();

  /** The subject, as an expression such as {@code #tenant}; by default {@code weir.key}. */
  String key() default "";
}
