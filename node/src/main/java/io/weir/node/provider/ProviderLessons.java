package io.weir.node.provider;

import io.vertx.core.Future;
import io.weir.node.metrics.ProviderMeters;
import io.weir.node.provider.Outcome.Health;
import io.weir.node.provider.ProviderGate.Entered;
import io.weir.policy.GroupRule;
import io.weir.upstream.Booking.Lesson;
import java.util.Locale;

/** What an attempt says of a provider, told to all nodes and counted. Owned by one event loop. */
public final class ProviderLessons {
  private final ProviderGate gate;
  private final Breakers breakers;
  private final ProviderMeters meters;

  public ProviderLessons(ProviderGate gate, Breakers breakers, ProviderMeters meters) {
    this.gate = gate;
    this.breakers = breakers;
    this.meters = meters;
  }

  /** It was not used: nothing is learned. */
  public void unused(Entered entered) {
    String probe = entered.isProbe() ? "unknown" : "";
    Future<Boolean> unused = gate.leave(entered, Lesson.of("", 0, 0, probe));
  }

  /** A provider has begun to answer. */
  public void heard(Entered entered) {
    breakers.heard(entered.upstream().name(), entered.provider(), System.nanoTime());
  }

  /**
   * The head of an answer has come: a probe that is well ends with that, however long the rest takes.
   *
   * @return whether that is so: from now on it is none
   */
  public boolean endsProbe(Entered entered, Outcome outcome) {
    if (!entered.isProbe() || outcome.health() != Health.GOOD) {
      return false;
    }
    gate.tell(entered, Lesson.of("", 0, 0, "good"));
    meters.breaker(entered.upstream().name(), entered.provider(), "closed");
    return true;
  }

  /**
   * Whether somebody who hangs up says that the provider hangs: nothing has come from it, on this node, since the request
   * was sent a good while ago. Of a probe nobody says so: one caller could keep the provider from all others.
   */
  public boolean isSilent(Entered entered, long sentNanos) {
    return !entered.isProbe()
        && breakers.isSilent(entered.upstream(), entered.provider(), sentNanos, System.nanoTime());
  }

  /**
   * What an attempt says that took too long while another one was allowed: that the provider hangs, unless others heard of it
   * meanwhile. Where a whole machine is slow, that says nothing of its providers.
   */
  public Outcome overtaken(Entered entered, long sentNanos) {
    return entered.isProbe() || isSilent(entered, sentNanos)
        ? Outcome.broken()
        : Outcome.overtaken();
  }

  /**
   * An attempt has ended.
   *
   * @param group of its operation
   * @param nanos how long it took, 0 where nobody knows
   * @return whether its permit was held
   */
  public Future<Boolean> learn(Entered entered, Outcome outcome, String group, long nanos) {
    long open = breakers.count(entered.upstream(), entered.provider(), outcome.health());
    long openMicros = Math.max(open, openMicrosOfProbe(entered, outcome));
    count(entered, outcome, openMicros, nanos);
    return gate.leave(entered, lesson(entered, outcome, group, nanos, openMicros));
  }

  /**
   * The same of one that may be told several times: it counts once, where its permit is held.
   *
   * @return fails where the shared state does not answer
   */
  public Future<Boolean> learnOnce(Entered entered, Outcome outcome, String group, long nanos) {
    long ofProbe = openMicrosOfProbe(entered, outcome);
    return gate.leave(entered, lesson(entered, outcome, group, nanos, ofProbe))
        .onSuccess(wasHeld -> {
          if (wasHeld) {
            judge(entered, outcome, nanos, ofProbe);
          }
        });
  }

  private void judge(Entered entered, Outcome outcome, long nanos, long ofProbe) {
    long open = breakers.count(entered.upstream(), entered.provider(), outcome.health());
    count(entered, outcome, Math.max(open, ofProbe), nanos);
    if (open > 0) {
      gate.tell(entered, Lesson.of("", 0, open, ""));
    }
  }

  private static long openMicrosOfProbe(Entered entered, Outcome outcome) {
    boolean isBadProbe = entered.isProbe() && outcome.health() == Health.BAD;
    return isBadProbe ? entered.upstream().breaker().openMillis() * 1000 : 0;
  }

  private Lesson lesson(
      Entered entered, Outcome outcome, String group, long nanos, long openMicros) {
    boolean isMeasured = entered.upstream().bounds().adaptive().isPresent();
    return new Lesson(
        scope(entered, outcome, group),
        outcome.coolMillis() * 1000,
        openMicros,
        probe(entered, outcome),
        isMeasured ? outcome.sampleMicros(nanos) : 0,
        outcome.loadThousandths());
  }

  // The part of the provider that asked to be left alone; empty for all of it, or where nothing
  // did.
  private static String scope(Entered entered, Outcome outcome, String group) {
    if (outcome.coolMillis() == 0 || outcome.coolsProvider()) {
      return "";
    }
    return group.equals(GroupRule.DEFAULT.fallback()) ? entered.key() : entered.key() + "/" + group;
  }

  // Who says that it has too much to do is there.
  private static String probe(Entered entered, Outcome outcome) {
    if (!entered.isProbe()) {
      return "";
    }
    return switch (outcome.health()) {
      case GOOD -> "good";
      case BAD -> "bad";
      case NEUTRAL -> outcome.isUnsent() ? "good" : "unknown";
    };
  }

  private void count(Entered entered, Outcome outcome, long openMicros, long nanos) {
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
