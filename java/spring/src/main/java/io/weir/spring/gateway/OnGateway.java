package io.weir.spring.gateway;

import io.weir.spring.web.NoGateway;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether the application is a Spring Cloud Gateway. */
final class OnGateway implements Condition {
  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    return NoGateway.isGateway(context);
  }
}
