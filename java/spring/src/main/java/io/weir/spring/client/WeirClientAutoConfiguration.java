package io.weir.spring.client;

import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import java.util.concurrent.Executors;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The interceptors of clients, to be added to the clients of an application where it wants them. */
@AutoConfiguration
public final class WeirClientAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  Retryer weirRetryer() {
    return Retryer.of(RetryOptions.DEFAULT, RetryListener.NONE);
  }

  /** The beans for {@code RestClient} and {@code RestTemplate}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.http.client.ClientHttpRequestInterceptor")
  static final class OfRestClient {
    @Bean
    @ConditionalOnMissingBean
    RetryingInterceptor weirRetryingInterceptor(Retryer retryer) {
      // A thread for each call that is waited for. No bean: an executor would replace Boot's own.
      return new RetryingInterceptor(retryer, Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "weir-call");
        thread.setDaemon(true);
        return thread;
      }));
    }
  }

  /** The beans for {@code WebClient}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name = "org.springframework.web.reactive.function.client.ExchangeFilterFunction")
  static final class OfWebClient {
    @Bean
    @ConditionalOnMissingBean
    RetryingExchangeFilter weirRetryingExchangeFilter(Retryer retryer) {
      return new RetryingExchangeFilter(retryer);
    }
  }
}
