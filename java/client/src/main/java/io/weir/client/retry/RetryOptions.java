package io.weir.client.retry;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * The settings of waits and retries. Start from one of the presets and change only the differences: {@code
 * RetryOptions.DEFAULT.with(o -> o.attempts(3))}.
 *
 * @param enabled whether anything is retried at all
 * @param attempts the most attempts of a call, including the first; 1 to 10,000
 * @param initialBackoff the first wait not given by a server; from 1 ms on, like all durations
 * @param multiplier by which such waits grow; 1 to 100
 * @param maxBackoff the longest such wait, except for a jitter of a duration; at least {@code initialBackoff}
 * @param jitter the random spread of such waits; a share of 0 to 1, or a duration of 0 to 7 days
 * @param maxWait the longest single wait, given by a server or not; a longer one fails the call at once
 * @param deadline the time limit of a call with all its attempts and waits
 * @param tickets whether tickets are requested ({@code Prefer: retry-ticket})
 * @param breaker the circuit breaker of each upstream
 * @param budget the number of calls that may be retried
 * @param overload as in Google's SRE book (chapter 21, "Client-Side Throttling"): calls are refused here when the
 *     upstream gets more than {@code overload} times the requests that it accepts; 1.1 to 100, usually 2
 */
public record RetryOptions(
    boolean enabled,
    int attempts,
    Duration initialBackoff,
    double multiplier,
    Duration maxBackoff,
    Jitter jitter,
    Duration maxWait,
    Optional<Duration> deadline,
    boolean tickets,
    Optional<BreakerOptions> breaker,
    Optional<BudgetOptions> budget,
    OptionalDouble overload) {
  private static final Duration LONGEST = Duration.ofDays(7);

  /** 5 attempts; backoff from 50 ms to 30 s by 1.5, ± 20 %; waits of a minute at most. */
  public static final RetryOptions DEFAULT = new RetryOptions(
      true,
      5,
      Duration.ofMillis(50),
      1.5,
      Duration.ofSeconds(30),
      Jitter.around(0.2),
      Duration.ofMinutes(1),
      Optional.empty(),
      true,
      Optional.empty(),
      Optional.empty(),
      OptionalDouble.empty());

  /** For callers whose users wait: an answer within ten seconds, and no storm. */
  public static final RetryOptions INTERACTIVE =
      DEFAULT.with(o -> o.maxBackoff(Duration.ofSeconds(2))
          .maxWait(Duration.ofSeconds(5))
          .deadline(Duration.ofSeconds(10))
          .breaker(new BreakerOptions(10, Duration.ofSeconds(5)))
          .budget(new BudgetOptions(0.2, 20)));

  /** For work in the background: it waits for minutes and makes twenty attempts. */
  public static final RetryOptions BACKGROUND = DEFAULT.with(o -> o.attempts(20)
      .initialBackoff(Duration.ofMillis(200))
      .multiplier(2)
      .maxWait(Duration.ofMinutes(15))
      .breaker(new BreakerOptions(50, Duration.ofSeconds(10))));

  /**
   * The waits of Storj's client: 100 ms, then doubling to 3 s; here with up to 100 ms of jitter, which Storj's client
   * does not have.
   */
  public static final RetryOptions STORJ = DEFAULT.with(o -> o.attempts(7)
      .initialBackoff(Duration.ofMillis(100))
      .multiplier(2)
      .maxBackoff(Duration.ofSeconds(3))
      .jitter(Jitter.added(Duration.ofMillis(100))));

  /** No retries and no waits. */
  public static final RetryOptions NONE = DEFAULT.with(Builder::disable);

  /** @throws IllegalArgumentException with all problems */
  public RetryOptions {
    OptionMistakes mistakes = new OptionMistakes();
    mistakes.within("attempts", attempts, 1, 10_000);
    mistakes.upTo("initialBackoff", initialBackoff, LONGEST);
    mistakes.within("multiplier", multiplier, 1, 100);
    mistakes.upTo("maxBackoff", maxBackoff, LONGEST);
    mistakes.expect(
        maxBackoff.compareTo(initialBackoff) >= 0,
        "maxBackoff: %s (expected: at least initialBackoff)".formatted(maxBackoff));
    mistakes.within("jitter.share", jitter.share(), 0, 1);
    mistakes.within("jitter.span", jitter.span(), Duration.ZERO, LONGEST);
    mistakes.upTo("maxWait", maxWait, LONGEST);
    deadline.ifPresent(value -> mistakes.upTo("deadline", value, LONGEST));
    breaker.ifPresent(value -> {
      mistakes.within("breaker.failures", value.failures(), 1, 10_000);
      mistakes.upTo("breaker.openFor", value.openFor(), LONGEST);
    });
    budget.ifPresent(value -> {
      mistakes.within("budget.share", value.share(), 0, 1);
      mistakes.within("budget.reserve", value.reserve(), 0, 1_000_000);
    });
    overload.ifPresent(value -> mistakes.within("overload", value, 1.1, 100));
    mistakes.throwIfAny();
  }

  /** These options with changes. */
  public RetryOptions with(Consumer<Builder> changes) {
    Builder builder = new Builder(this);
    changes.accept(builder);
    return builder.build();
  }

  /**
   * The wait before a retry, if the server gave none.
   *
   * @param retry the number of the retry, 0 for the first
   * @param random from 0 to below 1
   */
  long backoffMillis(int retry, DoubleSupplier random) {
    long longest = maxBackoff.toMillis();
    double wait = initialBackoff.toNanos() / 1e6 * Math.pow(multiplier, retry);
    return jitter.spread((long) Math.min((double) longest, wait), longest, random.getAsDouble());
  }

  /** Builds options. Mutable; for use within {@link #with}. */
  public static final class Builder {
    private boolean enabled;
    private int attempts;
    private Duration initialBackoff;
    private double multiplier;
    private Duration maxBackoff;
    private Jitter jitter;
    private Duration maxWait;
    private Optional<Duration> deadline;
    private boolean tickets;
    private Optional<BreakerOptions> breaker;
    private Optional<BudgetOptions> budget;
    private OptionalDouble overload;

    private Builder(RetryOptions from) {
      enabled = from.enabled;
      attempts = from.attempts;
      initialBackoff = from.initialBackoff;
      multiplier = from.multiplier;
      maxBackoff = from.maxBackoff;
      jitter = from.jitter;
      maxWait = from.maxWait;
      deadline = from.deadline;
      tickets = from.tickets;
      breaker = from.breaker;
      budget = from.budget;
      overload = from.overload;
    }

    /** Switches everything off: calls and answers pass unchanged. */
    public Builder disable() {
      enabled = false;
      deadline = Optional.empty();
      tickets = false;
      breaker = Optional.empty();
      budget = Optional.empty();
      overload = OptionalDouble.empty();
      return this;
    }

    /** The most attempts of a call, including the first. */
    public Builder attempts(int most) {
      attempts = most;
      return this;
    }

    /** The first wait not given by a server. */
    public Builder initialBackoff(Duration first) {
      initialBackoff = first;
      return this;
    }

    /** The factor by which such waits grow. */
    public Builder multiplier(double factor) {
      multiplier = factor;
      return this;
    }

    /** The longest such wait. */
    public Builder maxBackoff(Duration longest) {
      maxBackoff = longest;
      return this;
    }

    /** The random spread of such waits. */
    public Builder jitter(Jitter spread) {
      jitter = spread;
      return this;
    }

    /** The longest single wait. */
    public Builder maxWait(Duration longest) {
      maxWait = longest;
      return this;
    }

    /** The time limit of a call with all its attempts and waits. */
    public Builder deadline(Duration sinceCalled) {
      deadline = Optional.of(sinceCalled);
      return this;
    }

    /** Whether tickets are requested. */
    public Builder tickets(boolean wanted) {
      tickets = wanted;
      return this;
    }

    /** The circuit breaker of each upstream. */
    public Builder breaker(BreakerOptions options) {
      breaker = Optional.of(options);
      return this;
    }

    /** The number of calls that may be retried. */
    public Builder budget(BudgetOptions options) {
      budget = Optional.of(options);
      return this;
    }

    /** The ratio of requests to accepted requests above which calls are refused here. */
    public Builder overload(double factor) {
      overload = OptionalDouble.of(factor);
      return this;
    }

    private RetryOptions build() {
      return new RetryOptions(
          enabled,
          attempts,
          initialBackoff,
          multiplier,
          maxBackoff,
          jitter,
          maxWait,
          deadline,
          tickets,
          breaker,
          budget,
          overload);
    }
  }
}
