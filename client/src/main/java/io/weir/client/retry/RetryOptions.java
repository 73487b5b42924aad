package io.weir.client.retry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * How calls wait and are sent again. Start from one of the presets and change what has to be different:
 * {@code RetryOptions.DEFAULT.with(o -> o.attempts(3))}.
 *
 * @param enabled whether anything is sent again at all
 * @param attempts how often a call is sent at most, the first time included; 1 to 10,000
 * @param initialBackoff the first wait that nobody named; from 1 ms on, as all durations
 * @param multiplier by which such waits grow; 1 to 100
 * @param maxBackoff which such a wait never exceeds, but for a jitter of a duration; at least {@code initialBackoff}
 * @param jitter what spreads such waits; a share of 0 to 1, or a duration of 0 to 7 days
 * @param maxWait the longest single wait, named or not; a longer one fails the call at once
 * @param deadline of a call with all its attempts and waits
 * @param tickets whether places are asked for ({@code Prefer: retry-ticket})
 * @param breaker when an upstream is left alone
 * @param budget how many calls may be sent again
 * @param overload as Google's SRE book has it (chapter 21, "Client-Side Throttling"): calls are refused here when more than
 *     {@code overload} times what the upstream accepts is asked of it; 1.1 to 100, usually 2
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
  private static final Duration LEAST = Duration.ofMillis(1);
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

  /** For callers with somebody in front of them: an answer in ten seconds, and no storm. */
  public static final RetryOptions HIGH_AVAILABILITY =
      DEFAULT.with(o -> o.maxBackoff(Duration.ofSeconds(2))
          .maxWait(Duration.ofSeconds(5))
          .deadline(Duration.ofSeconds(10))
          .breaker(new BreakerOptions(10, Duration.ofSeconds(5)))
          .budget(new BudgetOptions(0.2, 20)));

  /** For work that has time: it waits for minutes, and tries twenty times. */
  public static final RetryOptions BATCH = DEFAULT.with(o -> o.attempts(20)
      .initialBackoff(Duration.ofMillis(200))
      .multiplier(2)
      .maxWait(Duration.ofMinutes(15))
      .breaker(new BreakerOptions(50, Duration.ofSeconds(10))));

  /** The waits of Storj's client: 100 ms, then twice as long each time, to 3 s; with up to 100 ms more, which it has not. */
  public static final RetryOptions STORJ = DEFAULT.with(o -> o.attempts(7)
      .initialBackoff(Duration.ofMillis(100))
      .multiplier(2)
      .maxBackoff(Duration.ofSeconds(3))
      .jitter(Jitter.added(Duration.ofMillis(100))));

  /** Nothing is sent again, nothing waits. */
  public static final RetryOptions NONE = DEFAULT.with(Builder::disable);

  /** @throws IllegalArgumentException with everything that is wrong */
  public RetryOptions {
    Mistakes mistakes = new Mistakes();
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

  /** The same with changes. */
  public RetryOptions with(Consumer<Builder> changes) {
    Builder builder = new Builder(this);
    changes.accept(builder);
    return builder.build();
  }

  /**
   * The wait before a call is sent again, where nobody named one.
   *
   * @param retry 0 for the first
   * @param random from 0 to below 1
   */
  long backoffMillis(int retry, DoubleSupplier random) {
    long longest = maxBackoff.toMillis();
    double wait = initialBackoff.toNanos() / 1e6 * Math.pow(multiplier, retry);
    return jitter.spread((long) Math.min((double) longest, wait), longest, random.getAsDouble());
  }

  /** What is wrong with options. */
  private static final class Mistakes {
    private final List<String> all = new ArrayList<>();

    void within(String name, double value, double least, double most) {
      expect(
          value >= least && value <= most,
          "%s: %s (expected: %s to %s)".formatted(name, text(value), text(least), text(most)));
    }

    void upTo(String name, Duration value, Duration most) {
      within(name, value, LEAST, most);
    }

    void within(String name, Duration value, Duration least, Duration most) {
      boolean isRight = value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
      expect(isRight, "%s: %s (expected: %s to %s)".formatted(name, value, least, most));
    }

    void expect(boolean isRight, String mistake) {
      if (!isRight) {
        all.add(mistake);
      }
    }

    void throwIfAny() {
      if (!all.isEmpty()) {
        throw new IllegalArgumentException(String.join("; ", all));
      }
    }

    private static String text(double value) {
      return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
  }

  /** Options with changes. Mutable; for use within {@link #with}. */
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

    /** Switches everything off: calls go out as they are, and their answers come back as they are. */
    public Builder disable() {
      enabled = false;
      deadline = Optional.empty();
      tickets = false;
      breaker = Optional.empty();
      budget = Optional.empty();
      overload = OptionalDouble.empty();
      return this;
    }

    /** How often a call is sent at most, the first time included. */
    public Builder attempts(int most) {
      attempts = most;
      return this;
    }

    /** The first wait that nobody named. */
    public Builder initialBackoff(Duration first) {
      initialBackoff = first;
      return this;
    }

    /** By what such waits grow. */
    public Builder multiplier(double factor) {
      multiplier = factor;
      return this;
    }

    /** What such a wait never exceeds. */
    public Builder maxBackoff(Duration longest) {
      maxBackoff = longest;
      return this;
    }

    /** What spreads such waits. */
    public Builder jitter(Jitter spread) {
      jitter = spread;
      return this;
    }

    /** The longest single wait. */
    public Builder maxWait(Duration longest) {
      maxWait = longest;
      return this;
    }

    /** Of a call with all its attempts and waits. */
    public Builder deadline(Duration sinceCalled) {
      deadline = Optional.of(sinceCalled);
      return this;
    }

    /** Whether places are asked for. */
    public Builder tickets(boolean wanted) {
      tickets = wanted;
      return this;
    }

    /** When an upstream is left alone. */
    public Builder breaker(BreakerOptions options) {
      breaker = Optional.of(options);
      return this;
    }

    /** How many calls may be sent again. */
    public Builder budget(BudgetOptions options) {
      budget = Optional.of(options);
      return this;
    }

    /** From which excess on calls are refused here. */
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
