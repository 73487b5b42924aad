package io.weir.client.check;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The options of a {@link CheckClient}. Immutable.
 *
 * @param serviceToken shown to the nodes, for checks of subjects
 * @param outage what becomes of checks that no node decides
 * @param timeout of a request to a node, 10 ms to 1 min; a check is undecided after it
 * @param retryAfter the wait of checks that {@link OutageMode#DENY} holds back
 * @param inFlight requests at once, 1 to 64; checks that are made meanwhile travel together in the next one
 * @param mostWaiting checks that may wait for that, 1 to 1,000,000; more are undecided at once
 */
public record CheckOptions(
    Optional<String> serviceToken,
    OutageMode outage,
    Duration timeout,
    Duration retryAfter,
    int inFlight,
    int mostWaiting) {
  private static final Duration LEAST_TIMEOUT = Duration.ofMillis(10);
  private static final Duration MOST_TIMEOUT = Duration.ofMinutes(1);
  private static final int MOST_IN_FLIGHT = 64;
  private static final int MOST_WAITING = 1_000_000;

  /** Undecided checks fail; a second for a request, two at once, 10,000 waiting. */
  public static final CheckOptions DEFAULT = new CheckOptions(
      Optional.empty(), OutageMode.FAIL, Duration.ofSeconds(1), Duration.ofSeconds(1), 2, 10_000);

  /** @throws IllegalArgumentException if a value is out of its bounds */
  public CheckOptions {
    boolean isTimeout =
        timeout.compareTo(LEAST_TIMEOUT) >= 0 && timeout.compareTo(MOST_TIMEOUT) <= 0;
    require("timeout", isTimeout, "10 ms to 1 min");
    require("retryAfter", !retryAfter.isNegative(), "not below 0");
    require("inFlight", inFlight >= 1 && inFlight <= MOST_IN_FLIGHT, "1 to 64");
    require("mostWaiting", mostWaiting >= 1 && mostWaiting <= MOST_WAITING, "1 to 1,000,000");
  }

  private static void require(String name, boolean isSound, String expected) {
    if (!isSound) {
      throw new IllegalArgumentException("%s: (expected: %s)".formatted(name, expected));
    }
  }

  /** These options with changes. */
  public CheckOptions with(Consumer<Builder> changes) {
    Builder builder = new Builder(this);
    changes.accept(builder);
    return builder.build();
  }

  @Override
  public String toString() {
    return "CheckOptions[outage=%s, timeout=%s, inFlight=%d, mostWaiting=%d]"
        .formatted(outage, timeout, inFlight, mostWaiting); // the token is left out
  }

  /** Changes options. Mutable; for one thread. */
  public static final class Builder {
    private Optional<String> serviceToken;
    private OutageMode outage;
    private Duration timeout;
    private Duration retryAfter;
    private int inFlight;
    private int mostWaiting;

    private Builder(CheckOptions from) {
      serviceToken = from.serviceToken;
      outage = from.outage;
      timeout = from.timeout;
      retryAfter = from.retryAfter;
      inFlight = from.inFlight;
      mostWaiting = from.mostWaiting;
    }

    /** Shown to the nodes, for checks of subjects. */
    public Builder serviceToken(String token) {
      serviceToken = Optional.of(token);
      return this;
    }

    /** The result of checks that no node decides. */
    public Builder outage(OutageMode mode) {
      outage = mode;
      return this;
    }

    /** The longest time of a request to a node. */
    public Builder timeout(Duration longest) {
      timeout = longest;
      return this;
    }

    /** The wait of checks that are held back in an outage. */
    public Builder retryAfter(Duration wait) {
      retryAfter = wait;
      return this;
    }

    /** Requests at once. */
    public Builder inFlight(int most) {
      inFlight = most;
      return this;
    }

    /** Checks that may wait to travel together. */
    public Builder mostWaiting(int most) {
      mostWaiting = most;
      return this;
    }

    private CheckOptions build() {
      return new CheckOptions(serviceToken, outage, timeout, retryAfter, inFlight, mostWaiting);
    }
  }
}
