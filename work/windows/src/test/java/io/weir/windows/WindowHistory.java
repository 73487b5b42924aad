package io.weir.windows;

import io.weir.testkit.History;
import io.weir.testkit.ManualClock;
import io.weir.testkit.OddTimes;
import io.weir.testkit.StorePair;
import io.weir.windows.WindowAnswer.Blocked;
import io.weir.windows.WindowAnswer.Claimed;
import io.weir.windows.WindowStore.Choice;
import io.weir.windows.WindowStore.End;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A history of one window: a planner that opens and decides, also wrongly; workers that finish, fail, die, and tell
 * everything twice or too late; nodes with another policy; a clock that is set back. Mutable; owned by one test.
 */
final class WindowHistory implements History {
  private static final long SECOND = 1_000_000;
  private static final long LONGEST_STEP = 1300 * SECOND;
  private static final int CLAIMS_KEPT = 30;
  private static final List<End> ENDS = List.of(End.values());
  private static final List<Choice> CHOICES = List.of(Choice.SKIP, Choice.RETRY, Choice.COMMIT);

  private final Random random;
  private final StorePair<WindowStore> stores;
  private final OddTimes times;
  private final String name;
  private final List<Claimed> held = new ArrayList<>();
  private final List<Claimed> ended = new ArrayList<>();
  private WindowRule rule;
  private WindowRule oldRule;
  private long next;
  private long watermark;
  private int ids;

  WindowHistory(long seed, String name, ManualClock clock, WindowStore model, WindowStore other) {
    this.random = new Random(seed);
    this.stores = new StorePair<>(seed, clock, model, other);
    this.times = new OddTimes(random, clock, LONGEST_STEP);
    this.name = name;
    this.rule = anyRule();
    this.oldRule = rule;
    this.next = random.nextInt(3) * 1000L;
  }

  @Override
  public StorePair<WindowStore> stores() {
    return stores;
  }

  /** Makes the next call and compares all that is visible of the window after it. */
  @Override
  public void step() {
    times.move();
    if (random.nextInt(80) == 0) {
      oldRule = rule;
      rule = anyRule();
    }
    WindowRule by = random.nextInt(30) == 0 ? oldRule : rule;
    int dice = random.nextInt(100);
    if (dice < 30) {
      open(by);
    } else if (dice < 55) {
      claim(by);
    } else if (dice < 85) {
      end(by);
    } else if (dice < 90) {
      takeBack(by);
    } else {
      decide(by);
    }
    if (random.nextInt(20) == 0) {
      times.move();
    }
    look(rule, random.nextBoolean());
  }

  private WindowRule anyRule() {
    return new WindowRule(
        name,
        1 + random.nextInt(random.nextBoolean() ? 4 : 20),
        1 + random.nextInt(5),
        SECOND * (1 + random.nextInt(40)),
        random.nextInt(4) == 0 ? 0 : random.nextLong(20 * SECOND),
        random.nextInt(3) == 0);
  }

  private WindowAnswer seen(WindowAnswer answer) {
    next = Math.max(answer.view().next(), answer.view().watermark());
    watermark = answer.view().watermark();
    return answer;
  }

  private void open(WindowRule by) {
    long from = random.nextInt(8) == 0 ? anyNumber() : next;
    long to = from + (from < next && random.nextBoolean() ? 0 : random.nextInt(3));
    WindowAnswer answer =
        seen(stores.ask("open %d-%d %s".formatted(from, to, by), it -> it.open(by, from, to)));
    if (answer instanceof Blocked blocked && random.nextBoolean()) {
      Choice choice = random.nextBoolean() ? Choice.SKIP : Choice.RETRY;
      decide(by, choice, blocked.from());
    }
  }

  // Near the open ranges, rarely far from them.
  private long anyNumber() {
    long near = watermark - 4 + random.nextLong(next - watermark + 8);
    return Math.max(0, random.nextInt(10) == 0 ? near + 1000 - random.nextInt(2000) : near);
  }

  private void claim(WindowRule by) {
    String id = "c" + (random.nextInt(40) == 0 ? random.nextInt(ids + 1) : ids++);
    WindowAnswer answer = seen(stores.ask("claim " + id + " " + by, it -> it.claim(by, id)));
    if (answer instanceof Claimed claimed) {
      add(held, claimed);
      times.endsIn(by.leaseMicros());
    }
  }

  private void add(List<Claimed> claims, Claimed claimed) {
    claims.add(claimed);
    if (claims.size() > CLAIMS_KEPT) {
      claims.remove(random.nextInt(CLAIMS_KEPT));
    }
  }

  // Mostly a claim that has not ended, sometimes one that was ended before.
  private void end(WindowRule by) {
    List<Claimed> claims = random.nextInt(4) == 0 ? ended : held;
    if (claims.isEmpty()) {
      claim(by);
      return;
    }
    Claimed claimed = claims.get(random.nextInt(claims.size()));
    long from = random.nextInt(20) == 0 ? anyNumber() : claimed.from();
    End how = random.nextBoolean() ? End.FINISH : ENDS.get(random.nextInt(ENDS.size()));
    String note = random.nextBoolean() ? "" : "note " + ids;
    String text = "%s %s of %d %s %s".formatted(how, claimed.claim(), from, note, by);
    for (int i = random.nextInt(5) == 0 ? 0 : 1; i < 2; i++) {
      seen(stores.ask(text, it -> it.end(by, from, claimed.claim(), how, note)));
    }
    if (how != End.RENEW && held.remove(claimed)) {
      add(ended, claimed);
    }
    if (how == End.RENEW) {
      times.endsIn(by.leaseMicros());
    } else if (how == End.FAIL) {
      times.endsIn(by.backoffMicros() << random.nextInt(3));
    }
  }

  private void takeBack(WindowRule by) {
    List<String> some = Stream.concat(held.stream(), ended.stream())
        .filter(claimed -> random.nextInt(6) == 0)
        .map(Claimed::claim)
        .toList();
    long taken = stores.ask("takeBack " + some + " " + by, it -> it.takeBack(by, some));
    if (taken > 0) {
      stores.count("taken back");
    }
  }

  private void decide(WindowRule by) {
    if (random.nextInt(60) == 0) {
      decide(by, Choice.FORGET, 0);
      next = random.nextInt(2000);
      return;
    }
    Choice choice = CHOICES.get(random.nextInt(CHOICES.size()));
    decide(by, choice, anyNumber());
  }

  private void decide(WindowRule by, Choice choice, long number) {
    String text = "%s %d %s".formatted(choice, number, by);
    seen(stores.ask(text, it -> it.decide(by, choice, number)));
  }

  private void look(WindowRule by, boolean isOfFailed) {
    int most = random.nextInt(20) == 0 ? 1 + random.nextInt(3) : 100;
    stores.ask(
        "look %s %d %s".formatted(isOfFailed ? "failed" : "ended", most, by),
        it -> it.look(by, isOfFailed, most));
  }
}
