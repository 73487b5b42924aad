package io.weir.spring.call;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Expressions and durations of annotations, parsed once. Safe for use by many threads. */
final class CallExpressions {
  private final SpelExpressionParser parser = new SpelExpressionParser();
  private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();
  private final Map<String, Expression> parsed = new ConcurrentHashMap<>();
  private final Map<String, Duration> durations = new ConcurrentHashMap<>();

  /** A duration of an annotation. */
  Duration duration(String text) {
    return durations.computeIfAbsent(text, DurationStyle::detectAndParse);
  }

  /** The value of an expression for a call. */
  <T> @Nullable T value(String expression, MethodInvocation call, Class<T> type) {
    Object target = requireNonNull(call.getThis());
    Method method = AopUtils.getMostSpecificMethod(call.getMethod(), target.getClass());
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(target, method, call.getArguments(), names);
    return parsed.computeIfAbsent(expression, parser::parseExpression).getValue(context, type);
  }
}
