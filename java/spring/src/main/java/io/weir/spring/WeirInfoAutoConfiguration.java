package io.weir.spring;

import io.weir.library.Weir;
import java.util.Map;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The information about Weir in the actuator. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.actuate.info.InfoContributor")
@ConditionalOnBean(Weir.class)
public final class WeirInfoAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(name = "weirInfoContributor")
  InfoContributor weirInfoContributor(Weir weir) {
    return info -> info.withDetail("weir", Map.of("revision", weir.policy().revision()));
  }
}
