package io.weir.providers.queue;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.providers.queue.ProviderMeters.RequestEnd;
import io.weir.providers.rule.Booking.BookingAnswer;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Upstreams;
import io.weir.state.testing.CheckedPolicies;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The series of upstreams that a policy has had. */
final class ProviderMetersTest {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask }, upstream: %1$s }
      buckets:
        - { name: b, burstPeriod: 1, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
      upstreams:
        %1$s:
          providers:
            - { name: ours, url: "http://127.0.0.1:1" }
            - { name: %2$s, url: "http://127.0.0.1:2" }
            - { name: keyed, url: "http://127.0.0.1:3", keys: [{ name: new, variable: NEW }] }
      """;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final ProviderMeters meters = new ProviderMeters(registry);

  private static Map<String, Providers> policy(String upstream, String provider) {
    return Upstreams.of(
        CheckedPolicies.parse("test", POLICY.formatted(upstream, provider)).policy());
  }

  private void use(String upstream, String provider) {
    meters.entered(upstream, 1);
    meters.attempt(upstream, provider, "-", "good");
    meters.took(upstream, provider, 1);
    meters.request(upstream, RequestEnd.ANSWERED);
    meters.again(upstream, "Call", provider, 1);
    meters.rested(upstream, provider, "-", () -> 1);
    meters.breaker(upstream, provider, "open");
    meters.stands(
        requireNonNull(policy(upstream, provider).get(upstream)),
        new BookingAnswer(List.of(), List.of(), 1, 2, Map.of()));
  }

  private Set<String> places() {
    return registry.getMeters().stream()
        .map(Meter::getId)
        .map(id -> id.getTag("upstream") + "/" + id.getTag("provider"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void thoseThatThePolicyHasNoLongerEnd() {
    use("rpc", "theirs");
    use("rpc", "gone");
    use("old", "theirs");
    meters.keep(policy("rpc", "theirs"));
    assertThat(places()).containsExactly("rpc/keyed", "rpc/null", "rpc/ours", "rpc/theirs");
    use("rpc", "theirs");
    assertThat(registry.get("throttle.upstream.attempts").counter().count()).isEqualTo(2);
  }

  @Test
  void keysThatAProviderHasNoLongerEnd() {
    meters.attempt("rpc", "keyed", "old", "good");
    meters.attempt("rpc", "keyed", "new", "good");
    meters.keep(policy("rpc", "theirs"));
    assertThat(registry.get("throttle.upstream.attempts").counters())
        .extracting(one -> one.getId().getTag("key"))
        .containsExactly("new");
  }

  @Test
  void aRequestThatStillWaitsIsCountedUntilItEnds() {
    meters.waiting("old", 1);
    meters.keep(policy("rpc", "theirs"));
    assertThat(registry.get("throttle.upstream.queue").gauge().value()).isEqualTo(1);
    meters.waiting("old", -1);
    meters.keep(policy("rpc", "theirs"));
    assertThat(registry.getMeters()).isEmpty();
  }
}
