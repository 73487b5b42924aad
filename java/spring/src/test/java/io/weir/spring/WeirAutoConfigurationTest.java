package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.decision.Decision.Allowed;
import io.weir.library.Weir;
import io.weir.spring.call.Permitted;
import io.weir.spring.call.RateLimited;
import io.weir.spring.call.RateLimitedException;
import io.weir.spring.web.WeirServletFilter;
import io.weir.spring.web.WeirWebAutoConfiguration;
import io.weir.spring.web.WeirWebFilter;
import io.weir.state.connection.RedisAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** What an application gets by its properties, and what it is told if they are wrong. */
final class WeirAutoConfigurationTest {
  private static final String POLICY = """
      buckets:
        - { name: asks, burstPeriod: 3, throttleGroups: [{ opsPerSec: 1, operations: [Ask] }] }
      permits: [{ name: one, limit: 1, operations: [Run] }]
      operations: [{ name: Run }]
      subjects: { app: { tenant: acme }, other: { tenant: acme } }
      """;

  @TempDir
  private Path directory;

  private Path policy = Path.of("policy.yaml");

  @BeforeEach
  void write() throws IOException {
    policy = Files.writeString(directory.resolve("policy.yaml"), POLICY);
  }

  private ApplicationContextRunner application() {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class))
        .withPropertyValues("weir.in-memory=true", "weir.policy=" + policy, "weir.key=app");
  }

  @Test
  void anApplicationHasAWeirAndMayHaveItsOwn() {
    application().run(context -> {
      assertThat(context).hasSingleBean(Weir.class).hasSingleBean(WeirMeters.class);
      assertThat(context.getBean(Weir.class).blocking().tryAcquire("app", "Ask"))
          .isInstanceOf(Allowed.class);
    });
    application()
        .withBean("mine", Weir.class, () -> Weir.inMemory(POLICY))
        .run(context -> assertThat(context).hasSingleBean(Weir.class).hasBean("mine"));
    application()
        .withPropertyValues("weir.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(Weir.class));
  }

  @Test
  void theFilterIsThatOfTheKindOfApplication() {
    AutoConfigurations all =
        AutoConfigurations.of(WeirAutoConfiguration.class, WeirWebAutoConfiguration.class);
    String[] properties = {"weir.in-memory=true", "weir.policy=" + policy};
    new WebApplicationContextRunner()
        .withConfiguration(all)
        .withPropertyValues(properties)
        .run(context -> assertThat(context)
            .hasSingleBean(WeirServletFilter.class)
            .doesNotHaveBean(WeirWebFilter.class));
    // A gateway limits its routes by itself, and it is on the class path here.
    new ReactiveWebApplicationContextRunner()
        .withConfiguration(all)
        .withPropertyValues(properties)
        .run(context -> assertThat(context).doesNotHaveBean(WeirWebFilter.class));
    new WebApplicationContextRunner()
        .withConfiguration(all)
        .withPropertyValues(properties)
        .withPropertyValues("weir.web.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(WeirServletFilter.class));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      weir.policy=missing.yaml                         | weir.policy      | cannot be read
      weir.policy=                                     | weir.policy      | cannot be read
      weir.in-memory=false,weir.redis-wait=0s,weir.redis-uri=redis://127.0.0.1:1 | weir.redis-uri | Redis cannot be used
      weir.in-memory=false,weir.redis-uri=http://x     | weir.redis-uri   | expected: redis
      weir.redis-timeout=0s                            | weir.redis-timeout | above 0
      weir.redis-wait=-1s                              | weir.redis-wait  | 0 or above
      weir.web.operations[0].path=/orders              | weir.web.operations[0].name | missing
      weir.web.operations[0].path=orders,weir.web.operations[0].name=Ask | weir.web.operations[0].path | no pattern
      """)
  void aWrongPropertyIsNamedWithARemedy(String properties, String place, String problem) {
    application().withPropertyValues(properties.split(",")).run(context -> {
      FailureAnalysis analysis = new WeirFailureAnalyzer().analyze(context.getStartupFailure());
      assertThat(analysis).describedAs("%s", context.getStartupFailure()).isNotNull();
      assertThat(analysis.getDescription()).startsWith(place + ": ").contains(problem);
      assertThat(analysis.getAction()).isNotBlank();
    });
  }

  @Test
  void aPolicyMayBeAResource() {
    for (String place : List.of("classpath:policy-of-a-resource.yaml", "file:" + policy)) {
      application()
          .withPropertyValues("weir.policy=" + place)
          .run(
              context -> assertThat(context.getBean(Weir.class).blocking().tryAcquire("app", "Ask"))
                  .isInstanceOf(Allowed.class));
    }
    application().withPropertyValues("weir.policy=classpath:missing.yaml").run(context -> {
      FailureAnalysis analysis = new WeirFailureAnalyzer().analyze(context.getStartupFailure());
      assertThat(analysis.getDescription()).startsWith("weir.policy: classpath:missing.yaml");
    });
  }

  @Test
  void aMissingPolicyIsNamedWithTheFolderInWhichItWasSought() {
    String missing = Path.of("missing.yaml").toAbsolutePath().toString();
    application().withPropertyValues("weir.policy=missing.yaml").run(context -> {
      FailureAnalysis analysis = new WeirFailureAnalyzer().analyze(context.getStartupFailure());
      assertThat(analysis.getDescription()).contains(missing);
      assertThat(analysis.getAction()).contains("classpath:", "a relative path");
    });
  }

  @Test
  void addressesOfRedisInTheRemedyAreAccepted() {
    String wrong = "weir.redis-uri=redis+sentinel://host,host/master";
    application().withPropertyValues("weir.in-memory=false", wrong).run(context -> {
      FailureAnalysis analysis = new WeirFailureAnalyzer().analyze(context.getStartupFailure());
      List<String> addresses = Pattern.compile("redis[+a-z]*://[^ ]*[a-z]")
          .matcher(analysis.getAction())
          .results()
          .map(found -> found.group().replace("host:port", "host:6379"))
          .toList();
      assertThat(addresses).hasSize(3).allSatisfy(RedisAddress::parse);
    });
  }

  @Test
  void anInvalidPolicyIsToldWithAllItsProblems() throws IOException {
    Files.writeString(policy, "buckets: [{ name: a }]\nplans: 3\n");
    application().run(context -> {
      FailureAnalysis analysis = new WeirFailureAnalyzer().analyze(context.getStartupFailure());
      assertThat(analysis.getDescription()).startsWith("weir.policy: ").contains("plans");
      assertThat(analysis.getAction()).contains("weir policy check");
    });
  }

  @Test
  void annotatedMethodsAreLimited() {
    application().withUserConfiguration(Beans.class).run(context -> {
      Service service = context.getBean(Service.class);
      assertThat(service.ask("ab")).isEqualTo("asked ab");
      Assertions.assertThatThrownBy(() -> service.ask("ab"))
          .isInstanceOf(RateLimitedException.class)
          .hasMessageContaining("Ask is limited by [asks]");
      assertThat(service.later("other").toCompletableFuture()).isCompletedWithValue("later");
      StepVerifier.create(service.mono("other")).expectNext("mono").verifyComplete();
      StepVerifier.create(service.flux("other")).expectNext("flux", "flux").verifyComplete();
      StepVerifier.create(service.mono("other")).verifyError(RateLimitedException.class);
      CompletableFuture<String> denied = service.later("other").toCompletableFuture();
      Assertions.assertThatThrownBy(denied::get)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(RateLimitedException.class);
    });
  }

  @Test
  void aPermitLastsAsLongAsItsCall() {
    application().withUserConfiguration(Beans.class).run(context -> {
      Service service = context.getBean(Service.class);
      CompletableFuture<String> end = new CompletableFuture<>();
      CompletableFuture<String> running = service.running(end).toCompletableFuture();
      CompletableFuture<String> second = service.running(end).toCompletableFuture();
      Assertions.assertThatThrownBy(second::join).hasCauseInstanceOf(RateLimitedException.class);
      assertThat(service.runs()).isEqualTo(1);
      end.complete("done");
      assertThat(running.join()).isEqualTo("done");
      assertThat(service.run()).isEqualTo("ran");
      assertThat(service.run()).isEqualTo("ran");
      StepVerifier.create(service.runMono()).expectNext("ran").verifyComplete();
      StepVerifier.create(service.runMono()).expectNext("ran").verifyComplete();
    });
  }

  @Test
  void anAnnotationOnAnInterfaceCounts() {
    application().withBean(Asking.class, Answer::new).run(context -> {
      Asking asking = context.getBean(Asking.class);
      for (int i = 0; i < 3; i++) {
        assertThat(asking.ask("other")).isEqualTo("answer");
      }
      Assertions.assertThatThrownBy(() -> asking.ask("other"))
          .isInstanceOf(RateLimitedException.class);
    });
  }

  interface Asking {
    @RateLimited(operation = "Ask", key = "#key")
    String ask(String key);
  }

  static class Answer implements Asking {
    @Override
    public String ask(String key) {
      return "answer";
    }
  }

  @Test
  void whoCancelsACallWaitsNoMore() {
    application().withUserConfiguration(Beans.class).run(context -> {
      Service service = context.getBean(Service.class);
      Weir weir = context.getBean(Weir.class);
      weir.blocking().tryAcquire("app", "Ask", 3);
      CompletableFuture<String> waiting = service.patient().toCompletableFuture();
      assertThat(weir.waiting()).isEqualTo(1);
      waiting.cancel(false);
      assertThat(weir.waiting()).isZero();
      service.patientMono().subscribe().dispose();
      assertThat(weir.waiting()).isZero();
    });
  }

  @Configuration(proxyBeanMethods = false)
  static class Beans {
    @Bean
    Service service() {
      return new Service();
    }
  }

  static class Service {
    private final AtomicInteger runs = new AtomicInteger();

    int runs() {
      return runs.get();
    }

    @RateLimited(operation = "Ask", cost = "#text.length()")
    String ask(String text) {
      return "asked " + text;
    }

    @RateLimited(operation = "Ask", key = "#key")
    CompletionStage<String> later(String key) {
      return CompletableFuture.completedFuture("later");
    }

    @RateLimited(operation = "Ask", key = "#key")
    Mono<String> mono(String key) {
      return Mono.just("mono");
    }

    @RateLimited(operation = "Ask", key = "#key")
    Flux<String> flux(String key) {
      return Flux.just("flux", "flux");
    }

    @RateLimited(operation = "Ask", cost = "3", waitAtMost = "1h")
    CompletionStage<String> patient() {
      return CompletableFuture.completedFuture("patient");
    }

    @RateLimited(operation = "Ask", cost = "3", waitAtMost = "1h")
    Mono<String> patientMono() {
      return Mono.just("patient");
    }

    @Permitted(operation = "Run")
    CompletionStage<String> running(CompletionStage<String> until) {
      runs.incrementAndGet();
      return until;
    }

    @Permitted(operation = "Run")
    String run() {
      return "ran";
    }

    @Permitted(operation = "Run")
    Mono<String> runMono() {
      return Mono.just("ran");
    }
  }
}
