package io.weir.node.gateway;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Held;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Asked;
import io.weir.node.admission.DecisionProblems;
import io.weir.node.admission.Priced;
import io.weir.node.admission.Request;
import io.weir.node.admission.Ruling;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.answer.Tickets;
import io.weir.node.hold.Execution;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Share;
import io.weir.node.intake.EarlyAnswer;
import io.weir.node.intake.Framing;
import io.weir.node.intake.MissedDoors;
import io.weir.node.intake.UnpaidWork;
import io.weir.node.intake.Upload;
import io.weir.node.upstream.Sender;
import io.weir.node.upstream.Sender.End;
import io.weir.node.usage.Usage;
import io.weir.state.wire.RandomId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The reverse proxy: forwards requests that are admitted, holds those whose slot is near, and answers the others. */
public final class Gateway {
  private static final long MICROS_PER_MILLI = 1000;
  /** The statuses of requests whose path, caller or operation is not known. */
  private static final Set<Integer> UNSERVED = Set.of(400, 401, 403, 404);

  private static final End UNKNOWN_END = new End(Execution.UNKNOWN, false);

  private final Vertx vertx;
  private final Upload uploads;
  private final Context context;
  private final Admission admission;
  private final Sender sender;
  private final Bulkhead held;
  private final Bulkhead memory;
  private final UnpaidWork unpaid;
  private final WaitingRoom waiting;
  private final List<Diversion> diversions;

  /**
   * A gateway for one event loop.
   *
   * @param bulkheads of the node
   * @param diversions answer requests of some operations in place of the upstream
   */
  public Gateway(
      Vertx vertx,
      Admission admission,
      Sender sender,
      NodeBulkheads bulkheads,
      List<Diversion> diversions) {
    this.vertx = vertx;
    this.uploads = new Upload(vertx);
    this.context = vertx.getOrCreateContext();
    this.admission = admission;
    this.sender = sender;
    this.held = bulkheads.held();
    this.memory = bulkheads.memory();
    this.unpaid = bulkheads.unpaid();
    this.diversions = diversions;
    this.waiting = new WaitingRoom(vertx);
  }

  /** Answers a request, which is paused and well framed; its future completes when it is answered. */
  public Future<Void> serve(HttpServerRequest request) {
    return admission.authenticate(request).compose(subject -> serve(request, subject));
  }

  /**
   * The same, but a request that has probably missed a door is refused with that, unless the policy lists its operation or
   * lets it pass.
   */
  public Future<Void> serve(HttpServerRequest request, MissedDoors missed) {
    Optional<ProblemDetails> refusal = missed.refusal(request.path());
    return refusal.isEmpty() || admission.isListed(request)
        ? serve(request)
        : Future.succeededFuture()
            .compose(begun -> serve(request))
            .recover(error -> Future.failedFuture(
                isUnserved(error) ? new RefusedException(refusal.get()) : error));
  }

  private static boolean isUnserved(Throwable error) {
    return error instanceof RefusedException refused
        && UNSERVED.contains(refused.problem().status());
  }

  private Future<Void> serve(HttpServerRequest request, Subject subject) {
    Asked asked = admission.identify(
        new Request(request.method().name(), admission.target(request), request.headers()),
        subject);
    for (Diversion diversion : diversions) {
      if (diversion.takes(asked)) {
        return diversion.serve(request, asked);
      }
    }
    Upload.requireLength(request, asked.upstream().maxBodyBytes());
    if (!asked.needsBody() && !isReplayed(request, asked)) {
      return decide(request, asked, Body.NONE);
    }
    return admission
        .foreseen(asked, Tickets.in(request.headers(), 0))
        .map(refusal -> answer(
            Attempt.withoutBody(request, asked), Ruling.of(admission.refuse(asked, refusal))))
        .orElseGet(() -> read(request, asked));
  }

  private Future<Void> read(HttpServerRequest request, Asked asked) {
    UnpaidWork.Account work = unpaid.of(asked.subject());
    work.require();
    Share bytes = memory.take(asked.subject());
    return uploads
        .whole(request, asked.upstream().maxBodyBytes(), bytes)
        .compose(body -> decide(request, asked, new Body(Optional.of(body), work::payAll)))
        .onComplete(done -> {
          work.spend(bytes.amount());
          bytes.free();
        });
  }

  // A short body is kept so that it can be sent to another provider.
  private static boolean isReplayed(HttpServerRequest request, Asked asked) {
    long length = Framing.length(request).orElse(Long.MAX_VALUE);
    return length > 0 && length <= asked.to().retry().maxBodyBytes();
  }

  /** Answers all held requests with their wait: the node stops, and any other node honours their places. */
  public void close() {
    waiting.close();
  }

  private Future<Void> decide(HttpServerRequest request, Asked asked, Body body) {
    return Priced.of(asked, body.whole(), reading -> vertx.executeBlocking(reading, false))
        .compose(priced -> decide(request, body, priced));
  }

  private Future<Void> decide(HttpServerRequest request, Body body, Priced priced) {
    Asked asked = priced.asked();
    Optional<Share> place = asked.maxDelayMillis() > 0 && waiting.isOpen()
        ? held.tryTake(asked.subject(), 1)
        : Optional.empty();
    long delay = place.isPresent() ? asked.maxDelayMillis() : 0;
    TicketRequest ticket = Tickets.in(request.headers(), delay * MICROS_PER_MILLI);
    Attempt attempt = new Attempt(request, asked, body, priced.cost(), ticket, delay, place);
    return Future.succeededFuture()
        .compose(begun -> decide(attempt))
        .onComplete(done -> place.ifPresent(Share::free));
  }

  private Future<Void> decide(Attempt attempt) {
    return admission
        .admit(context, attempt.asked(), attempt.cost(), attempt.ticket())
        .compose(ruling -> ruling.fold(
            admitted -> tell(attempt, admitted),
            denied -> deny(attempt, denied.decision()),
            never -> tell(attempt, never),
            refused -> tell(attempt, refused)));
  }

  // Operators can look up each refusal that a caller gets.
  private Future<Void> tell(Attempt attempt, Ruling ruling) {
    return answer(attempt, admission.told(attempt.asked(), attempt.cost(), ruling));
  }

  private Future<Void> answer(Attempt attempt, Ruling told) {
    return told.fold(
        admitted -> forward(attempt, admitted),
        denied -> reject(
            attempt, denied.decision(), DecisionProblems.of(attempt.asked(), denied.decision())),
        never -> refuse(attempt, never.decision()),
        refused -> EarlyAnswer.send(vertx, attempt.request(), refused.problem()));
  }

  private Future<Void> forward(Attempt attempt, Ruling.Admitted admitted) {
    attempt.place().ifPresent(Share::free);
    attempt.body().onAdmitted().run();
    Optional<Usage> usage = admitted
        .held()
        .filter(Held::reserves)
        .flatMap(held -> attempt.asked().settle())
        .map(Usage::new);
    return Future.succeededFuture()
        .compose(begun -> sender.stream(
            attempt.request(), attempt.body().whole(), attempt.asked(), admitted.decision(), usage))
        .onComplete(ended -> admitted.alone().ifPresent(admission::end))
        .onComplete(ended -> admitted
            .held()
            .ifPresent(
                held -> end(attempt, held, usage, ended.otherwise(UNKNOWN_END).result())))
        .mapEmpty();
  }

  private void end(Attempt attempt, Held held, Optional<Usage> usage, End end) {
    OptionalLong cost =
        usage.isPresent() && end.isWhole() ? usage.get().cost() : OptionalLong.empty();
    Future<Void> unused =
        admission.end(attempt.asked(), attempt.cost(), held, cost, end.execution());
  }

  // A short enough wait is not an error: the node holds the request until its slot.
  private Future<Void> deny(Attempt attempt, Denied denied) {
    long wait = (denied.retryAfterMicros() + MICROS_PER_MILLI - 1) / MICROS_PER_MILLI;
    boolean isNear =
        denied.ticket().isPresent() && wait <= attempt.delayLeftMillis() && waiting.isOpen();
    if (!isNear) {
      return tell(attempt, new Ruling.Denied(denied));
    }
    return waiting
        .hold(attempt.request(), Math.max(1, wait))
        .compose(due ->
            due ? comeBack(attempt, denied, wait) : tell(attempt, new Ruling.Denied(denied)));
  }

  // The policy may have changed during the wait.
  private Future<Void> comeBack(Attempt attempt, Denied denied, long waited) {
    return decide(new Attempt(
        attempt.request(),
        admission.identifyAgain(attempt.asked()),
        attempt.body(),
        attempt.cost(),
        TicketRequest.wanted(denied.ticket(), RandomId::next),
        attempt.delayLeftMillis() - waited,
        attempt.place()));
  }

  private static Future<Void> refuse(Attempt attempt, NeverAllowed never) {
    DecisionAnswers.addHeaders(never, attempt.request().response().headers());
    return Future.failedFuture(new RefusedException(DecisionProblems.of(attempt.asked(), never)));
  }

  private Future<Void> reject(Attempt attempt, Decision decision, ProblemDetails problem) {
    DecisionAnswers.addHeaders(decision, attempt.request().response().headers());
    return EarlyAnswer.send(vertx, attempt.request(), problem);
  }

  /**
   * The body of a request.
   *
   * @param whole if it has been read before the request is admitted
   * @param onAdmitted called when the limits have paid for it
   */
  private record Body(Optional<Buffer> whole, Runnable onAdmitted) {
    static final Body NONE = new Body(Optional.empty(), () -> {});
  }

  /**
   * An attempt of a request to be admitted.
   *
   * @param delayLeftMillis the longest wait for which it is held
   * @param place among the requests that may be held
   */
  private record Attempt(
      HttpServerRequest request,
      Asked asked,
      Body body,
      long cost,
      TicketRequest ticket,
      long delayLeftMillis,
      Optional<Share> place) {
    static Attempt withoutBody(HttpServerRequest request, Asked asked) {
      return new Attempt(
          request, asked, Body.NONE, asked.leastCost(), TicketRequest.NONE, 0, Optional.empty());
    }
  }
}
