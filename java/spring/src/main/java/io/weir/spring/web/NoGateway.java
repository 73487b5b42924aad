package io.weir.spring.web;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/** Whether the application is no Spring Cloud Gateway: not on the class path, or switched off. */
public final class NoGateway implements Condition {
  private static final String FILTER = "org.springframework.cloud.gateway.filter.GatewayFilter";

  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    return !isGateway(context);
  }

  /** Whether it is one. */
  public static boolean isGateway(ConditionContext context) {
    Environment environment = context.getEnvironment();
    return ClassUtils.isPresent(FILTER, context.getClassLoader())
        && environment.getProperty("spring.cloud.gateway.enabled", Boolean.class, true)
        && environment.getProperty(
            "spring.cloud.gateway.server.webflux.enabled", Boolean.class, true);
  }
}
