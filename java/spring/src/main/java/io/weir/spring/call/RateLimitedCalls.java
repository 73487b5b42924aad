package io.weir.spring.call;

import io.weir.library.AcquireRequest;
import io.weir.library.Weir;
import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Limits the methods of beans that are {@link RateLimited} or {@link Permitted}. */
public final class RateLimitedCalls extends AbstractBeanFactoryAwareAdvisingPostProcessor {
  private static final long serialVersionUID = 1L;

  /**
   * Limits by a {@code Weir} that is looked up at the first call.
   *
   * @param key the subject of methods that name none, or null
   */
  public RateLimitedCalls(Supplier<Weir> weir, Supplier<@Nullable String> key) {
    setProxyTargetClass(true);
    setBeforeExistingAdvisors(true);
    ComposablePointcut annotated = new ComposablePointcut(annotatedWith(RateLimited.class))
        .union(annotatedWith(Permitted.class));
    this.advisor = new DefaultPointcutAdvisor(annotated, new Limiting(weir, key));
  }

  // On the method of an interface, too.
  private static Pointcut annotatedWith(Class<? extends Annotation> type) {
    return new AnnotationMatchingPointcut(null, type, true);
  }

  private record Limiting(
      Supplier<Weir> weir, Supplier<@Nullable String> key, CallExpressions expressions)
      implements MethodInterceptor {
    Limiting(Supplier<Weir> weir, Supplier<@Nullable String> key) {
      this(weir, key, new CallExpressions());
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
      RateLimited limited = annotation(call, RateLimited.class);
      if (limited != null) {
        Duration atMost = expressions.duration(limited.waitAtMost());
        // A method that does not wait has no use for a ticket.
        AcquireRequest own = AcquireRequest.of(subject(limited.key(), call), limited.operation());
        AcquireRequest ask = atMost.isZero() ? own.withoutTicket() : own;
        return new LimitedCall(
                weir.get(), limited.cost().isEmpty() ? ask : ask.cost(cost(limited, call)), call)
            .limited(atMost);
      }
      Permitted permitted = annotation(call, Permitted.class);
      return permitted == null
          ? call.proceed()
          : new LimitedCall(
                  weir.get(),
                  AcquireRequest.of(subject(permitted.key(), call), permitted.operation())
                      .withoutTicket(),
                  call)
              .permitted();
    }

    private static <A extends Annotation> @Nullable A annotation(
        MethodInvocation call, Class<A> type) {
      Object target = call.getThis();
      return AnnotatedElementUtils.findMergedAnnotation(
          target == null
              ? call.getMethod()
              : AopUtils.getMostSpecificMethod(call.getMethod(), target.getClass()),
          type);
    }

    private long cost(RateLimited limited, MethodInvocation call) {
      Long cost = expressions.value(limited.cost(), call, Long.class);
      if (cost == null) {
        throw new IllegalArgumentException("cost of %s: '%s' is null (expected: a number above 0)"
            .formatted(call.getMethod(), limited.cost()));
      }
      return cost;
    }

    private String subject(String expression, MethodInvocation call) {
      String subject =
          expression.isEmpty() ? key.get() : expressions.value(expression, call, String.class);
      if (subject == null) {
        throw new IllegalArgumentException(
            expression.isEmpty()
                ? "%s names no key, and weir.key is not set".formatted(call.getMethod())
                : "key of %s: '%s' is null".formatted(call.getMethod(), expression));
      }
      return subject;
    }
  }
}
