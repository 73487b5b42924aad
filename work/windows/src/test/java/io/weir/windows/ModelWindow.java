package io.weir.windows;

import io.weir.windows.ModelRange.State;
import io.weir.windows.WindowAnswer.Range;
import io.weir.windows.WindowStore.Choice;
import io.weir.windows.WindowStore.End;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** One window, and the rules of {@link io.weir.windows.WindowStore}. Mutable; owned by its store. */
final class ModelWindow {
  private static final long STEP_BACK = 100_000;
  private static final long LONGEST_BACKOFF = 60_000_000;
  private static final long REMEMBERED = 600_000_000;
  private static final String COMMITTED = "committed";

  private final TreeMap<Long, ModelRange> ranges = new TreeMap<>();
  private final ModelPace pace = new ModelPace();
  /** When ranges were committed, by their first number and their claim: a finish may be repeated. */
  private final Map<String, Long> remembered = new HashMap<>();

  private long first;
  private long next;
  private long watermark;
  private boolean isBegun;
  private long lastCall;

  WindowAnswer open(WindowRule rule, long from, long to, long now) {
    catchUp(rule, now);
    ModelRange known = ranges.get(from);
    if (known != null) {
      return known.to == to ? opened(false) : new WindowAnswer.NotNext(view());
    }
    if (isBegun && from != next) {
      boolean isCommitted = from >= first && to < watermark;
      return isCommitted ? opened(false) : new WindowAnswer.NotNext(view());
    }
    if (ranges.size() >= rule.width()) {
      ModelRange oldest = ranges.firstEntry().getValue();
      return oldest.state == State.FAILED
          ? new WindowAnswer.Blocked(oldest.from, view())
          : new WindowAnswer.Full(pace.waitMicros(now), view());
    }
    if (!isBegun) {
      begin(from, now);
    }
    ranges.put(from, new ModelRange(from, to));
    next = to + 1;
    return opened(true);
  }

  private WindowAnswer opened(boolean isNew) {
    return new WindowAnswer.Opened(isNew, view());
  }

  private void begin(long from, long now) {
    isBegun = true;
    first = from;
    watermark = from;
    lastCall = now;
  }

  WindowAnswer claim(WindowRule rule, String id, long now) {
    catchUp(rule, now);
    for (ModelRange range : ranges.values()) {
      if (range.state == State.TODO) {
        range.attempts++;
        range.claim = id;
        range.moveUntil(State.CLAIMED, now + rule.leaseMicros());
        return new WindowAnswer.Claimed(id, range.from, range.to, range.attempts, view());
      }
    }
    long nextEnd = ranges.values().stream()
        .filter(ModelRange::isBusy)
        .mapToLong(range -> range.untilMicros)
        .min()
        .orElse(Long.MAX_VALUE);
    long wait = nextEnd == Long.MAX_VALUE ? pace.waitMicros(now) : pace.waitMicros(now, nextEnd);
    return new WindowAnswer.Nothing(wait, view());
  }

  long takeBack(WindowRule rule, List<String> ids, long now) {
    endTimes(rule, now);
    List<ModelRange> held = all(range -> ids.stream().anyMatch(range::isHeldBy));
    for (ModelRange range : held) {
      range.attempts--;
      range.claim = ModelRange.NOBODY;
      range.state = State.TODO;
    }
    return held.size();
  }

  WindowAnswer end(WindowRule rule, long from, String id, End how, String note, long now) {
    catchUp(rule, now);
    ModelRange range = ranges.get(from);
    if (range == null && from >= watermark) {
      return new WindowAnswer.Unknown(view());
    } else if (range == null) {
      boolean isOwn = how == End.FINISH && remembered.containsKey(from + " " + id);
      return answer(isOwn, COMMITTED);
    } else if (!range.isHeldBy(id)) {
      return answer(range.claim.equals(id) && isRepeated(range, how), range.word());
    }
    end(rule, range, how, note, now);
    return answer(true, ranges.containsKey(from) ? range.word() : COMMITTED);
  }

  private WindowAnswer answer(boolean isDone, String state) {
    return isDone ? new WindowAnswer.Done(state, view()) : new WindowAnswer.Refused(state, view());
  }

  private static boolean isRepeated(ModelRange range, End how) {
    return switch (how) {
      case FINISH -> range.state == State.DONE;
      case RELEASE -> range.state == State.TODO;
      case FAIL ->
        range.state == State.TODO || range.state == State.WAITING || range.state == State.FAILED;
      case RENEW -> false;
    };
  }

  private void end(WindowRule rule, ModelRange range, End how, String note, long now) {
    switch (how) {
      case FINISH -> {
        range.note = rule.keepsResults() ? note : "";
        range.state = State.DONE;
        catchUp(rule, now);
      }
      case FAIL -> {
        range.note = note;
        double backoff = rule.backoffMicros() * Math.pow(2, range.attempts - 1.0);
        range.endAttempt(rule.attempts(), (long) Math.min(LONGEST_BACKOFF, backoff), now);
      }
      case RELEASE -> {
        range.attempts--;
        range.state = State.TODO;
      }
      case RENEW -> range.untilMicros = now + rule.leaseMicros();
    }
  }

  /** Skips or tries again a range that has failed. */
  WindowAnswer decide(WindowRule rule, Choice choice, long from, long now) {
    catchUp(rule, now);
    ModelRange range = ranges.get(from);
    State wanted = choice == Choice.SKIP ? State.SKIPPED : State.TODO;
    if (range == null && from >= watermark) {
      return new WindowAnswer.Unknown(view());
    } else if (range == null) {
      String skip = from + " " + ModelRange.NOBODY;
      return answer(choice == Choice.SKIP && remembered.containsKey(skip), COMMITTED);
    } else if (range.state != State.FAILED) {
      return answer(range.state == wanted, range.word());
    }
    range.attempts = 0;
    range.claim = ModelRange.NOBODY;
    range.state = wanted;
    catchUp(rule, now);
    return answer(true, ranges.containsKey(from) ? range.word() : COMMITTED);
  }

  WindowAnswer commit(WindowRule rule, long through, long now) {
    catchUp(rule, now);
    if (through < watermark) {
      return answer(through >= first, COMMITTED);
    }
    boolean endsThere = ranges.values().stream()
        .takeWhile(ModelRange::isOver)
        .anyMatch(range -> range.to == through);
    if (!endsThere) {
      return answer(false, "");
    }
    commitThrough(through, now);
    return answer(true, COMMITTED);
  }

  WindowAnswer.Listed look(WindowRule rule, boolean isOfFailed, int most, long now) {
    endTimes(rule, now);
    List<ModelRange> asked = isOfFailed
        ? all(range -> range.state == State.FAILED)
        : ranges.values().stream().takeWhile(ModelRange::isOver).toList();
    List<Range> shown = asked.stream().limit(most).map(ModelRange::shown).toList();
    return new WindowAnswer.Listed(shown, view());
  }

  WindowView view() {
    return new WindowView(
        next,
        watermark,
        ranges.size(),
        all(range -> range.state == State.TODO).size(),
        all(ModelRange::isBusy).size(),
        all(range -> range.state == State.FAILED).size());
  }

  private List<ModelRange> all(Predicate<ModelRange> which) {
    return ranges.values().stream().filter(which).toList();
  }

  /** Ends leases and waits, and commits unless the planner does. */
  private void catchUp(WindowRule rule, long now) {
    endTimes(rule, now);
    if (!rule.keepsResults()) {
      commitThrough(Long.MAX_VALUE, now);
    }
  }

  private void endTimes(WindowRule rule, long now) {
    followClock(now);
    for (ModelRange range : all(range -> range.isBusy() && range.untilMicros <= now)) {
      if (range.state == State.CLAIMED) {
        range.note = "the lease is over";
        range.claim = ModelRange.NOBODY;
        range.endAttempt(rule.attempts(), 0, now);
      } else {
        range.state = State.TODO;
      }
    }
  }

  /** After a step back of the clock, leases and waits move back as far. */
  private void followClock(long now) {
    long back = lastCall - now;
    if (back > STEP_BACK) {
      all(ModelRange::isBusy).forEach(range -> range.untilMicros -= back);
    }
    lastCall = now;
  }

  /** Moves the watermark over ended ranges, in order. */
  private void commitThrough(long through, long now) {
    List<ModelRange> gone = new ArrayList<>(ranges.values().stream()
        .takeWhile(range -> range.isOver() && range.to <= through)
        .toList());
    if (gone.isEmpty()) {
      return;
    }
    for (ModelRange range : gone) {
      remembered.put(range.from + " " + range.claim, now);
      watermark = range.to + 1;
      ranges.remove(range.from);
    }
    remembered.values().removeIf(at -> at <= now - REMEMBERED);
    pace.committed(gone.size(), now);
  }
}
