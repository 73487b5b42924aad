package io.weir.spring.gateway;

import io.weir.library.Weir;
import io.weir.spring.WeirAutoConfiguration;
import io.weir.spring.WeirProperties;
import io.weir.spring.web.ExchangeLimit;
import io.weir.spring.web.RequestRules;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** The limiter and the filter of Spring Cloud Gateway 4.3 and 5.0. */
@AutoConfiguration(
    after = WeirAutoConfiguration.class,
    beforeName = {
      "org.springframework.cloud.gateway.config.GatewayAutoConfiguration",
      "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration"
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@Conditional(OnGateway.class)
public final class WeirGatewayAutoConfiguration {
  /** Limits. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
  @ConditionalOnBean(Weir.class)
  static final class Limiting {
    // Primary before the gateway's own, which comes later if it has Redis; none beside one of the
    // application.
    @Bean
    @Primary
    @ConditionalOnMissingBean(RateLimiter.class)
    WeirRateLimiter weirRateLimiter(Weir weir, ConfigurationService configuration) {
      return new WeirRateLimiter(weir, configuration);
    }

    @Bean
    @ConditionalOnMissingBean
    WeirGatewayFilterFactory weirGatewayFilterFactory(Weir weir, WeirProperties properties) {
      ExchangeLimit limit = new ExchangeLimit(new RequestRules(weir, properties.web()));
      return new WeirGatewayFilterFactory(limit::limit);
    }
  }

  /** Switched off, the routes that name the filter pass. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = "weir.enabled", havingValue = "false")
  static final class Passing {
    @Bean
    @ConditionalOnMissingBean
    WeirGatewayFilterFactory weirGatewayFilterFactory() {
      return new WeirGatewayFilterFactory((exchange, operation, chain) -> chain.apply(exchange));
    }
  }
}
