package io.weir.operators;

import io.weir.core.policy.Plan;
import io.weir.node.admission.Witness.Question;
import io.weir.operators.cases.CaseName;
import io.weir.operators.cases.CaseType;
import io.weir.operators.cases.LoopCases;
import io.weir.operators.denial.LoopDenials;
import io.weir.operators.top.LimitName;
import io.weir.operators.top.LoopCounts;
import io.weir.operators.top.SubjectName;

/** A caller at a limit, with its requests that are not counted yet. Mutable; owned by one event loop. */
final class LimitedCaller {
  /** A caller whose denial is not remembered asks again after this time at the earliest. */
  private static final long PAUSE_NANOS = 1_000_000_000L;

  private final CaseType type;
  private final Plan plan;
  private final String operation;
  private final SubjectName who;
  private final LimitName by;
  private final CaseName name;

  /** Its denials are not remembered before. */
  private long asksFromNanos = Long.MIN_VALUE;

  private int requests;
  private long firstNanos;
  private long lastNanos;

  LimitedCaller(CaseType type, Question question, String limit) {
    this.type = type;
    this.plan = question.subject().plan();
    this.operation = question.operation();
    this.who = new SubjectName(question.subject().tenant(), question.subject().id());
    this.by = new LimitName(plan.name(), plan.tagOf(operation), limit);
    this.name = CaseName.of(question, limit);
  }

  LimitName by() {
    return by;
  }

  boolean isOf(CaseType type, Question question, String limit) {
    return type == this.type
        && question.subject().id().equals(who.id())
        && question.subject().tenant().equals(who.tenant())
        && question.subject().plan() == plan
        && question.operation().equals(operation)
        && limit.equals(by.limit());
  }

  void add(long nowNanos) {
    if (requests == 0) {
      firstNanos = nowNanos;
    }
    lastNanos = nowNanos;
    requests++;
  }

  /** Whether a denial of the caller is to be remembered; a flood asks this without a look at other denials. */
  boolean isRemembered(LoopDenials denials, long nowNanos) {
    if (nowNanos < asksFromNanos) {
      return false;
    }
    long from = denials.acceptsFrom(who, nowNanos);
    if (from <= nowNanos) {
      return true;
    }
    asksFromNanos = Math.max(from, nowNanos + PAUSE_NANOS);
    return false;
  }

  /** Counts the requests. */
  void count(LoopCounts counts, LoopCases cases) {
    if (requests == 0) {
      return;
    }
    if (type == CaseType.NEAR) {
      counts.near(who, by, requests, lastNanos);
    } else if (type != CaseType.WARNED) { // whom a limit only warns is not near a denial
      counts.denied(who, by, requests, lastNanos);
    }
    cases.count(type, name, by, new LoopCases.Requests(requests, firstNanos, lastNanos));
    requests = 0;
  }
}
