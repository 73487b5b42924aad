package io.weir.spring.web;

import io.weir.library.Weir;
import io.weir.spring.WeirAutoConfiguration;
import io.weir.spring.WeirProperties;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** The filter of an application with servlets or WebFlux, and the answers to limited methods. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
@ConditionalOnBean(Weir.class)
public final class WeirWebAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  LimitedCallAdvice limitedCallAdvice() {
    return new LimitedCallAdvice();
  }

  /** The filter of servlets. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  @ConditionalOnClass(name = "jakarta.servlet.Filter")
  @ConditionalOnProperty(name = "weir.web.enabled", matchIfMissing = true)
  static final class OfServlets {
    @Bean
    @ConditionalOnMissingBean
    WeirServletFilter weirServletFilter(Weir weir, WeirProperties properties) {
      return new WeirServletFilter(
          new RequestRules(weir, properties.web()), properties.web().order());
    }
  }

  /** The filter of WebFlux; a gateway limits its routes instead. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  @Conditional(NoGateway.class)
  @ConditionalOnProperty(name = "weir.web.enabled", matchIfMissing = true)
  static final class OfWebFlux {
    @Bean
    @ConditionalOnMissingBean
    WeirWebFilter weirWebFilter(Weir weir, WeirProperties properties) {
      return new WeirWebFilter(
          new RequestRules(weir, properties.web()), properties.web().order());
    }
  }
}
