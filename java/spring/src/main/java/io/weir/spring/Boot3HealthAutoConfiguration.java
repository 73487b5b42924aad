package io.weir.spring;

import io.weir.library.Weir;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** The health of Weir for the actuator of Spring Boot 3. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
@ConditionalOnBean(Weir.class)
@Conditional(OnWeirHealth.class)
public final class Boot3HealthAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(name = "weirHealthIndicator")
  HealthIndicator weirHealthIndicator(Weir weir) {
    return () -> (weir.shareAway() == 0 ? Health.up() : Health.down())
        .withDetail("away", weir.shareAway())
        .withDetail("revision", weir.policy().revision())
        .build();
  }
}
