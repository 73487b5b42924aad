package io.weir.spring.call;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of a bean that takes an operation at each call. A call that is not allowed throws {@link
 * RateLimitedException}, or ends its stage or publisher with it. Methods that return a stage or a publisher never block.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimited {
  /** The name of the operation. */
  String operation();

  /**
   * The cost in operations, as an expression of the method's arguments such as {@code 1 + #text.length()}: above 0, else the call
   * fails with {@link IllegalArgumentException}.
   */
  String cost() default "";

  /** The subject, as an expression such as {@code #tenant}; by default {@code weir.key}. */
  String key() default "";

  /**
   * How long a call waits for its slot at most, such as {@code 2s}; by default not at all. A method that returns
   * neither a stage nor a publisher blocks its thread meanwhile, and for the decision.
   */
  String waitAtMost() default "0s";
}
