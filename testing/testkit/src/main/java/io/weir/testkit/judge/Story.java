package io.weir.testkit.judge;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Limit;
import io.weir.core.kind.KindDemand;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.ManualClock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The last steps of a history, for the message of a failed test. Mutable; owned by one history. */
final class Story {
  private static final int STEPS_SHOWN = 40;

  private final long seed;
  private final ManualClock clock;
  private final Deque<Supplier<String>> told = new ArrayDeque<>();
  private long step;

  Story(long seed, ManualClock clock) {
    this.seed = seed;
    this.clock = clock;
  }

  /** Begins the next step. */
  void nextStep() {
    step++;
  }

  /** Notes an event; its text is made if the test fails. */
  void note(Supplier<String> text) {
    long now = clock.getAsLong();
    told.addLast(() -> now + " " + text.get());
    if (told.size() > STEPS_SHOWN) {
      told.removeFirst();
    }
  }

  /** The failure with the story. */
  AssertionError of(AssertionError failure) {
    return new AssertionError(failure.getMessage() + "\n" + this, failure);
  }

  /** A charge in short words. */
  static String text(Charge charge) {
    String ticket = charge.ticket().shown().orElse(charge.ticket().wants() ? "new" : "none");
    return "charge %s/%s, %d × %s, %s, ticket %s, %s"
        .formatted(
            charge.tenant(),
            charge.subject(),
            charge.cost(),
            charge.demands().stream()
                .map(demand -> demand.bucket().name() + " " + demand.unitsPerOperation()
                    + (demand.perRequest() ? " once" : ""))
                .toList(),
            charge.extras().demands().stream().map(KindDemand::name).toList(),
            ticket,
            charge.extras().hold());
  }

  /** An answer in short words. */
  static String text(Object answer) {
    if (!(answer instanceof Decided decided)) {
      return answer.toString();
    }
    Decision decision = decided.decision();
    List<Long> used = decision.limits().stream().map(Limit::usedUnits).toList();
    String wait = decision instanceof Denied denied
        ? "denied by %s, %d µs, %s %s"
            .formatted(
                denied.full(),
                denied.retryAfterMicros(),
                denied.estimate() ? "estimate" : "slot",
                denied.ticket().orElse(""))
        : decision.getClass().getSimpleName();
    return "%s, used %s, %s".formatted(wait, used, decided.report());
  }

  @Override
  public String toString() {
    return "seed %d, step %d, after\n".formatted(seed, step)
        + told.stream().map(Supplier::get).collect(Collectors.joining("\n"));
  }
}
