package io.weir.node.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.PriorityQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A herd of callers behind Envoy, which come back when the answer says. */
final class EnvoyHerdTest {
  private static final String POLICY = """
      buckets: []
      envoy:
        edge:
          rules:
            - { match: [{ key: path }], requests: 100, per: second }
            - { match: [{ key: account }], requests: 100, per: minute }
      """;

  /**
   * A caller who comes at an instant.
   *
   * @param ticket empty if it shows none
   */
  private record Caller(long atMicros, int number, String ticket) implements Comparable<Caller> {
    @Override
    public int compareTo(Caller other) {
      int byTime = Long.compare(atMicros, other.atMicros);
      return byTime == 0 ? Integer.compare(number, other.number) : byTime;
    }
  }

  /** The header that callers obey. */
  private enum Wait {
    MILLIS("Retry-After-Ms", 1_000),
    SECONDS("Retry-After", 1_000_000);

    private final String header;
    private final long micros;

    Wait(String header, long micros) {
      this.header = header;
      this.micros = micros;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "path, 1000, MILLIS, true",
    "path, 1000, MILLIS, false",
    "path, 1000, SECONDS, false",
    "account, 150, MILLIS, true",
    "account, 150, SECONDS, false",
    "account, 200, MILLIS, true"
  })
  void eachComesBackOnce(String limit, int callers, Wait wait, boolean hasTickets) {
    try (ManualRateLimits limits = new ManualRateLimits(POLICY)) {
      PriorityQueue<Caller> coming = new PriorityQueue<>();
      for (int i = 0; i < callers; i++) {
        coming.add(new Caller(0, i, hasTickets ? "new" : ""));
      }
      long now = 0;
      int attempts = 0;
      int admitted = 0;
      while (!coming.isEmpty()) {
        Caller caller = coming.remove();
        limits.advanceMicros(caller.atMicros() - now);
        now = caller.atMicros();
        attempts++;
        EnvoyAnswer answer = limits.ask(message(limit, caller.ticket()));
        if (answer.isOver()) {
          long micros =
              Long.parseLong(requireNonNull(answer.headers().get(wait.header))) * wait.micros;
          String ticket = hasTickets ? requireNonNull(answer.headers().get("Retry-Ticket")) : "";
          coming.add(new Caller(now + micros, caller.number(), ticket));
        } else {
          admitted++;
        }
      }
      assertThat(admitted).isEqualTo(callers);
      assertThat(attempts)
          .as("attempts of %d callers", callers)
          .isLessThanOrEqualTo(callers * 195 / 100);
    }
  }

  private static Buffer message(String key, String ticket) {
    MessageWriter descriptor =
        new MessageWriter().add(1, new MessageWriter().add(1, key).add(2, "herd"));
    if (!ticket.isEmpty()) {
      descriptor.add(1, new MessageWriter().add(1, RateLimitRequest.TICKET).add(2, ticket));
    }
    return new MessageWriter().add(1, "edge").add(2, descriptor).bytes();
  }
}
