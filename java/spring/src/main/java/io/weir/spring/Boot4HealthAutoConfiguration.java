package io.weir.spring;

import io.weir.library.Weir;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** The health of Weir for the actuator of Spring Boot 4. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
@ConditionalOnBean(Weir.class)
@Conditional(OnWeirHealth.class)
public final class Boot4HealthAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(name = "weirHealthIndicator")
  HealthIndicator weirHealthIndicator(Weir weir) {
    return () -> (weir.shareAway() == 0 ? Health.up() : Health.down())
        .withDetail("away", weir.shareAway())
        .withDetail("revision", weir.policy().revision())
        .build();
  }
}
