package io.weir.batch;

import io.vertx.core.MultiMap;
import io.weir.client.answer.AnswerStatus;
import io.weir.node.admission.Admitted;
import io.weir.node.admission.Refusal;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.Tickets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * Maps an answer to the outcome of an item, its batch and its claim.
 *
 * <p>If it is unknown whether an item was executed, it is tried again only when repeating is safe.
 */
final class Judge {
  private static final List<String> WAIT_HEADERS = List.of(
      "Retry-After", "Retry-After-Ms", Tickets.RETRY_TICKET, "RateLimit", "RateLimit-Policy");
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final int FIRST_FINAL_STATUS = 200;
  private static final int BAD_GATEWAY = 502;
  private static final int TOO_MANY = 429;
  private static final int UNAVAILABLE = 503;

  private Judge() {}

  /** The item was not admitted; it is answered by that. */
  static Sent refused(Refusal refusal) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    ProblemDetails problem = refusal.answer(headers).problem();
    return refusal.denial().isPresent()
        ? Sent.release(new Done(Result.of("denied", problem), TOO_MANY, headers, false))
        : refused(problem);
  }

  /** Weir itself refused the item. */
  static Sent refused(ProblemDetails problem) {
    return problem.status() == UNAVAILABLE || problem.status() == TOO_MANY
        ? Sent.release(Done.unavailable(problem.code(), wait(problem)))
        : Sent.release(Done.of(Result.of("failed", problem)));
  }

  private static Duration wait(ProblemDetails problem) {
    OptionalLong millis = problem.waitMillis();
    return millis.isPresent() ? Duration.ofMillis(millis.getAsLong()) : SOON;
  }

  /** There was no connection to the upstream: it has not seen the item. */
  static Sent notSent() {
    return Sent.release(Done.unavailable("upstream_unreachable", SOON));
  }

  /** The upstream may or may not have executed the item. */
  static Sent lost(ResolvedItem item, int status) {
    return item.repetition().isSafe()
        ? Sent.release(new Done(
            Result.of("failed", "the upstream did not answer", status),
            status,
            MultiMap.caseInsensitiveMultiMap(),
            false))
        : Sent.leave(Done.of(Result.of("unknown")));
  }

  /** The upstream answered. */
  static Sent answered(ResolvedItem item, UpstreamAnswer answer, Admitted admitted) {
    int status = answer.status();
    if (status < FIRST_FINAL_STATUS) {
      return lost(item, BAD_GATEWAY); // not an answer: RFC 9110, section 15.2
    }
    if (status == TOO_MANY) {
      return Sent.release(
          new Done(Result.of("denied", answer), TOO_MANY, waits(answer.headers()), false));
    }
    if (status < 400) {
      boolean isCounted = !admitted.decision().limits().isEmpty();
      return Sent.keep(new Done(
          Result.of("executed", answer), 200, MultiMap.caseInsensitiveMultiMap(), isCounted));
    }
    Result failed = Result.of("failed", answer);
    if (AnswerStatus.isPassing(status) && item.repetition().isSafe()) {
      return Sent.release(new Done(failed, status, waits(answer.headers()), false));
    }
    return status < 500 ? Sent.release(Done.of(failed)) : Sent.leave(Done.of(failed));
  }

  private static MultiMap waits(MultiMap headers) {
    MultiMap waits = MultiMap.caseInsensitiveMultiMap();
    for (String name : WAIT_HEADERS) {
      waits.set(name, headers.getAll(name)); // all lines: the caller waits for the longest
    }
    return waits;
  }
}
