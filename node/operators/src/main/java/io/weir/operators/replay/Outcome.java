package io.weir.operators.replay;

import io.weir.core.policy.Subject;
import io.weir.operators.replay.Rehearsal.Verdict;
import io.weir.operators.replay.Rehearsal.Verdict.Admitted;
import io.weir.operators.replay.Rehearsal.Verdict.Refused;
import io.weir.operators.replay.Rehearsal.Verdict.Skipped;
import io.weir.operators.replay.Rehearsal.Verdict.Unknown;
import io.weir.operators.top.LimitName;
import io.weir.operators.top.SubjectName;
import io.weir.operators.top.Tally;

/** The result of one policy on a log. Mutable, for one thread; its memory is bounded. */
final class Outcome {
  private final String name;
  private final Tally refused = new Tally();
  private final Timeline timeline = new Timeline();
  private long admitted;
  private long denied;
  private long never;
  private long unknown;
  private long skipped;

  Outcome(String name) {
    this.name = name;
  }

  void count(LogLine line, Verdict verdict) {
    if (verdict instanceof Admitted) {
      admitted++;
      timeline.count(line.atMicros(), false);
    } else if (verdict instanceof Refused one) {
      denied += one.isNever() ? 0 : 1;
      never += one.isNever() ? 1 : 0;
      refused.count(who(one.subject()), by(one));
      timeline.count(line.atMicros(), true);
    } else if (verdict instanceof Unknown) {
      unknown++;
    } else if (verdict instanceof Skipped) {
      skipped++;
    }
  }

  static SubjectName who(Subject subject) {
    return new SubjectName(subject.tenant(), subject.id());
  }

  static LimitName by(Refused refused) {
    return new LimitName(refused.subject().plan().name(), refused.operation(), refused.by());
  }

  String name() {
    return name;
  }

  Tally refused() {
    return refused;
  }

  Timeline timeline() {
    return timeline;
  }

  long admitted() {
    return admitted;
  }

  long denied() {
    return denied;
  }

  long never() {
    return never;
  }

  long unknown() {
    return unknown;
  }

  long skipped() {
    return skipped;
  }
}
