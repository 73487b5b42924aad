package io.weir.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.library.Weir;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter.Response;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.validation.beanvalidation.OptionalValidatorFactoryBean;

/** The limiter of the gateway's own filter. */
final class WeirRateLimiterTest {
  private static final String POLICY = """
      buckets:
        - { name: asks, burstPeriod: 2, throttleGroups: [{ opsPerSec: 1, operations: [Ask] }] }
      subjects: [{ match: "*", tenant: acme }]
      """;

  @Test
  void whatIsKnownAtOnceIsAnsweredOnAnotherThreadAsWell() {
    try (Weir weir = Weir.inMemory(POLICY)) {
      WeirRateLimiter limiter = new WeirRateLimiter(
          weir,
          new ConfigurationService(
              new StaticListableBeanFactory(),
              DefaultConversionService::new,
              OptionalValidatorFactoryBean::new));
      AtomicReference<Thread> answered = new AtomicReference<>();

      Response response = limiter
          .isAllowed("Ask", "k1")
          .doOnNext(found -> answered.set(Thread.currentThread()))
          .block();

      assertThat(response).isNotNull().matches(Response::isAllowed);
      assertThat(answered.get()).isNotSameAs(Thread.currentThread());
    }
  }
}
