package io.weir.providers.slot;

import io.vertx.core.Future;
import io.weir.core.policy.GroupRule;
import io.weir.node.upstream.AttemptOutcome;
import io.weir.node.upstream.AttemptOutcome.Health;
import io.weir.providers.queue.BookedSlot;
import io.weir.providers.queue.ProviderMeters;
import io.weir.providers.rule.Booking.Lesson;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports the outcomes of attempts to all nodes, and counts them. Owned by one event loop. */
public final class ProviderLessons {
  private static final Logger LOG = LoggerFactory.getLogger(ProviderLessons.class);

  private final ProviderGate gate;
  private final Breakers breakers;
  private final KeyRests rests;
  private final ProviderMeters meters;

  /**
   * Lessons for one event loop.
   *
   * @param breakers of the whole node
   * @param rests of the whole node
   */
  public ProviderLessons(
      ProviderGate gate, Breakers breakers, KeyRests rests, ProviderMeters meters) {
    this.gate = gate;
    this.breakers = breakers;
    this.rests = rests;
    this.meters = meters;
  }

  /** The request was not sent: nothing is learned. */
  public void unused(BookedSlot entered) {
    String probe = entered.isProbe() ? "unknown" : "";
    Future<Boolean> unused = gate.leave(entered, Lesson.of("", 0, 0, probe));
  }

  /** A provider has begun to answer. */
  public void answered(BookedSlot entered) {
    breakers.answered(entered.upstream().name(), entered.provider(), System.nanoTime());
  }

  /**
   * The head of an answer has come: a good probe ends with it, however long the rest takes.
   *
   * @return whether the probe has ended; the request is a normal one from now on
   */
  public boolean endsProbe(BookedSlot entered, AttemptOutcome outcome) {
    if (!entered.isProbe() || outcome.health() != Health.GOOD) {
      return false;
    }
    gate.report(entered, Lesson.of("", 0, 0, "good"));
    meters.breaker(entered.upstream().name(), entered.provider(), "closed");
    return true;
  }

  /**
   * Whether a hang-up counts as a hanging provider: this node has got no answer from the provider since the request was
   * sent, for the time of {@link Breakers#isSilent}. Never true for a probe: one caller could keep the provider from
   * all others.
   */
  public boolean isSilent(BookedSlot entered, long sentNanos) {
    return !entered.isProbe()
        && breakers.isSilent(entered.upstream(), entered.provider(), sentNanos, System.nanoTime());
  }

  /**
   * The outcome of an attempt that was given up because another one was allowed: a failure of the provider, unless
   * other requests got answers from it meanwhile. If the whole machine is slow, that says nothing about its providers.
   */
  public AttemptOutcome overtaken(BookedSlot entered, long sentNanos) {
    return entered.isProbe() || isSilent(entered, sentNanos)
        ? AttemptOutcome.broken()
        : AttemptOutcome.overtaken();
  }

  /**
   * An attempt has ended.
   *
   * @param group of its operation
   * @param nanos how long it took, 0 if unknown
   */
  public void learn(BookedSlot entered, AttemptOutcome outcome, String group, long nanos) {
    long open = breakers.count(entered.upstream(), entered.provider(), outcome.health());
    long openMicros = Math.max(open, openMicrosOfProbe(entered, outcome));
    count(entered, outcome, openMicros, nanos);
    forgetRest(entered, outcome, group);
    Future<Boolean> unused =
        gate.leave(entered, lesson(entered, outcome, group, nanos, openMicros));
  }

  /**
   * The same for an attempt that may be reported several times: it counts once, if its permit is held.
   *
   * @return fails if the shared state does not answer
   */
  public Future<Boolean> learnOnce(
      BookedSlot entered, AttemptOutcome outcome, String group, long nanos) {
    long ofProbe = openMicrosOfProbe(entered, outcome);
    return gate.leave(entered, lesson(entered, outcome, group, nanos, ofProbe))
        .onSuccess(wasHeld -> {
          if (wasHeld) {
            judge(entered, outcome, nanos, ofProbe);
            forgetRest(entered, outcome, group);
          }
        });
  }

  private void judge(BookedSlot entered, AttemptOutcome outcome, long nanos, long ofProbe) {
    long open = breakers.count(entered.upstream(), entered.provider(), outcome.health());
    count(entered, outcome, Math.max(open, ofProbe), nanos);
    if (open > 0) {
      gate.report(entered, Lesson.of("", 0, open, ""));
    }
  }

  /** A provider refused a key that is the cause: all nodes leave it alone, longer each time in a row. */
  void rest(BookedSlot refused, String group) {
    long micros = rests.refusedMicros(key(refused, group), System.nanoTime());
    gate.report(refused, Lesson.of(scope(refused, group), micros, 0, ""));
    KeyRests.Key slot =
        new KeyRests.Key(refused.upstream().name(), refused.provider(), refused.key());
    meters.rested(
        slot.upstream(),
        slot.provider(),
        slot.scope(),
        () -> rests.isRefused(slot, System.nanoTime()) ? 1 : 0);
    LOG.warn(
        "{} of {} refuses the key {}, which rests for {} s",
        refused.provider(),
        refused.upstream().name(),
        refused.key(),
        TimeUnit.MICROSECONDS.toSeconds(micros));
  }

  private void forgetRest(BookedSlot entered, AttemptOutcome outcome, String group) {
    if (outcome.health() == Health.GOOD) {
      rests.forget(key(entered, group));
    }
  }

  private static KeyRests.Key key(BookedSlot entered, String group) {
    return new KeyRests.Key(entered.upstream().name(), entered.provider(), scope(entered, group));
  }

  private static long openMicrosOfProbe(BookedSlot entered, AttemptOutcome outcome) {
    boolean isBadProbe = entered.isProbe() && outcome.health() == Health.BAD;
    return isBadProbe ? entered.upstream().resilience().breaker().openMillis() * 1000 : 0;
  }

  private Lesson lesson(
      BookedSlot entered, AttemptOutcome outcome, String group, long nanos, long openMicros) {
    boolean isMeasured = entered.upstream().bounds().adaptive().isPresent();
    return new Lesson(
        scope(entered, outcome, group),
        outcome.coolMillis() * 1000,
        openMicros,
        probe(entered, outcome),
        isMeasured ? sampleMicros(outcome, nanos) : 0,
        outcome.loadThousandths());
  }

  // The time of a good answer; -1 for an error, 0 if the outcome tells nothing about the time.
  private static long sampleMicros(AttemptOutcome outcome, long nanos) {
    if (outcome.health() == Health.GOOD) {
      return nanos / 1000;
    }
    boolean isOverload = outcome.health() == Health.NEUTRAL && outcome.mayBeSentAgain();
    return outcome.health() == Health.BAD || isOverload ? -1 : 0;
  }

  // The part of the provider that the wait is for; empty for all of it, or if there is no wait.
  private static String scope(BookedSlot entered, AttemptOutcome outcome, String group) {
    return outcome.coolMillis() == 0 || outcome.coolsServer() ? "" : scope(entered, group);
  }

  private static String scope(BookedSlot entered, String group) {
    return group.equals(GroupRule.DEFAULT.fallback()) ? entered.key() : entered.key() + "/" + group;
  }

  // An overloaded provider is alive: a probe that it rejected counts as good.
  private static String probe(BookedSlot entered, AttemptOutcome outcome) {
    if (!entered.isProbe()) {
      return "";
    }
    return switch (outcome.health()) {
      case GOOD, REFUSED -> "good";
      case BAD -> "bad";
      case NEUTRAL -> outcome.isUnsent() ? "good" : "unknown";
    };
  }

  private void count(BookedSlot entered, AttemptOutcome outcome, long openMicros, long nanos) {
    String upstream = entered.upstream().name();
    String word = outcome.health().name().toLowerCase(Locale.ROOT);
    meters.attempt(upstream, entered.provider(), entered.key(), word);
    if (nanos > 0) {
      meters.took(upstream, entered.provider(), nanos);
    }
    if (openMicros > 0) {
      meters.breaker(upstream, entered.provider(), "open");
    } else if (entered.isProbe()) {
      meters.breaker(
          upstream, entered.provider(), probe(entered, outcome).equals("good") ? "closed" : "open");
    }
    if (outcome.coolMillis() > 0) {
      meters.cooldown(upstream, entered.provider());
    }
  }
}
