package io.weir.spring;

import io.weir.library.Weir;
import io.weir.library.WeirListener;
import io.weir.spring.call.RateLimitedCalls;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/** The {@link Weir} of an application, its meters, and annotated methods. */
@AutoConfiguration
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
@EnableConfigurationProperties(WeirProperties.class)
@ImportRuntimeHints(WeirHints.class)
public final class WeirAutoConfiguration {
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Weir weir(WeirProperties properties, ObjectProvider<WeirListener> listeners) {
    return WeirStart.open(properties, new Listeners(listeners));
  }

  @Bean
  @ConditionalOnMissingBean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static RateLimitedCalls rateLimitedCalls(
      ObjectProvider<Weir> weir, ObjectProvider<WeirProperties> properties) {
    // Looked up at the first call, and once.
    SingletonSupplier<Weir> one = SingletonSupplier.of(weir::getObject);
    SingletonSupplier<WeirProperties> set = SingletonSupplier.of(properties::getObject);
    return new RateLimitedCalls(one::obtain, () -> set.obtain().key());
  }

  /** Meters of applications with Micrometer. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "io.micrometer.core.instrument.binder.MeterBinder")
  static final class Meters {
    @Bean
    @ConditionalOnMissingBean
    WeirMeters weirMeters(ObjectProvider<Weir> weir) {
      return new WeirMeters(weir::getObject);
    }
  }
}
