package io.weir.operators.replay;

import io.weir.core.policy.Policy;
import io.weir.operators.replay.LineReading.Request;
import io.weir.operators.replay.LineReading.Strange;
import io.weir.operators.replay.Rehearsal.Verdict;
import io.weir.operators.replay.Rehearsal.Verdict.Admitted;
import io.weir.operators.replay.Rehearsal.Verdict.Refused;
import io.weir.operators.top.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Puts the lines of a log through one policy, or through two side by side. Mutable, for one thread. */
final class Replay {
  private final LineFormat format;
  private final List<Rehearsal> rehearsals = new ArrayList<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  /** Refused by the one policy and admitted by the other, in the order of the policies. */
  private final List<Tally> onlyBy = List.of(new Tally(), new Tally());

  private final Spread spread = new Spread(this::decide);
  private final Ordered ordered = new Ordered(spread::add);
  private final StrangeLines strange = new StrangeLines();
  private long lines;

  /** @param plan of callers that a policy does not know */
  Replay(LineFormat format, Optional<String> plan, List<NamedPolicy> policies) {
    this.format = format;
    policies.forEach(named -> {
      rehearsals.add(new Rehearsal(named.policy(), plan));
      outcomes.add(new Outcome(named.name()));
    });
  }

  /** A policy, and what it is called. */
  record NamedPolicy(String name, Policy policy) {}

  void add(String line) {
    if (line.isBlank()) {
      return;
    }
    lines++;
    LineReading read = format.read(line);
    if (read instanceof Request request) {
      ordered.add(request.line());
    } else if (read instanceof Strange other) {
      strange.count(other.reason(), lines);
    }
  }

  /** Call it after the last line. */
  void end() {
    ordered.end();
    spread.end();
  }

  private void decide(LogLine line) {
    List<Verdict> verdicts = new ArrayList<>(rehearsals.size());
    for (int i = 0; i < rehearsals.size(); i++) {
      Verdict verdict = rehearsals.get(i).decide(line);
      outcomes.get(i).count(line, verdict);
      verdicts.add(verdict);
    }
    if (verdicts.size() == 2) {
      compare(verdicts.get(0), verdicts.get(1), onlyBy.get(0));
      compare(verdicts.get(1), verdicts.get(0), onlyBy.get(1));
    }
  }

  private static void compare(Verdict one, Verdict other, Tally onlyByOne) {
    if (one instanceof Refused refused && other instanceof Admitted) {
      onlyByOne.count(Outcome.who(refused.subject()), Outcome.by(refused));
    }
  }

  long lines() {
    return lines;
  }

  /** The lines that could not be read. */
  StrangeLines strange() {
    return strange;
  }

  /** The lines that were much older than others before them, and were judged at the time of the line before. */
  long late() {
    return ordered.late();
  }

  List<Outcome> outcomes() {
    return outcomes;
  }

  /** The requests that the policy with this number refuses and the other one admits. */
  Tally onlyBy(int number) {
    return onlyBy.get(number);
  }
}
