package io.weir.spring.gateway;

import io.weir.library.Weir;
import io.weir.spring.WeirAutoConfiguration;
import io.weir.spring.WeirProperties;
import io.weir.spring.web.ExchangeLimit;
import io.weir.spring.web.RequestRules;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** The limiter and the filter of Spring Cloud Gateway 4.3 and 5.0. */
@AutoConfiguration(
    after = WeirAutoConfiguration.class,
    beforeName = {
      "org.springframework.cloud.gateway.config.GatewayAutoConfiguration",
      "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration"
    })
@ConditionalOnClass(name = "org.springframework.cloud.gateway.filter.ratelimit.RateLimiter")
@ConditionalOnBean(Weir.class)
public final class WeirGatewayAutoConfiguration {
  // Before the gateway's own, if it has Redis, too.
  @Bean
  @Primary
  @ConditionalOnMissingBean
  WeirRateLimiter weirRateLimiter(Weir weir, ConfigurationService configuration) {
    return new WeirRateLimiter(weir, configuration);
  }

  @Bean
  @ConditionalOnMissingBean
  WeirGatewayFilterFactory weirGatewayFilterFactory(Weir weir, WeirProperties properties) {
    return new WeirGatewayFilterFactory(
        new ExchangeLimit(new RequestRules(weir, properties.web())));
  }
}
