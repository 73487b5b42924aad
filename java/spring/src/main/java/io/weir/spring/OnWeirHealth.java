package io.weir.spring;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether the actuator shows the health of Weir, as it decides for each of its indicators. */
final class OnWeirHealth implements Condition {
  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    Environment environment = context.getEnvironment();
    boolean usual =
        environment.getProperty("management.health.defaults.enabled", Boolean.class, true);
    return environment.getProperty("management.health.weir.enabled", Boolean.class, usual);
  }
}
