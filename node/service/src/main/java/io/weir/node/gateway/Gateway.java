package io.weir.node.gateway;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Admitted;
import io.weir.node.admission.CostedRequest;
import io.weir.node.admission.IdentifiedRequest;
import io.weir.node.admission.Refusal;
import io.weir.node.admission.Request;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.answer.Tickets;
import io.weir.node.hold.Execution;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.Framing;
import io.weir.node.intake.MissedDoors;
import io.weir.node.intake.UnpaidWork;
import io.weir.node.intake.Upload;
import io.weir.node.intake.WaitingRoom;
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
      List<Diversion> diversions,
      WaitingRoom waiting) {
    this.vertx = vertx;
    this.uploads = new Upload(vertx);
    this.context = vertx.getOrCreateContext();
    this.admission = admission;
    this.sender = sender;
    this.held = bulkheads.held();
    this.memory = bulkheads.memory();
    this.unpaid = bulkheads.unpaid();
    this.diversions = diversions;
    this.waiting = waiting;
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
    IdentifiedRequest asked = admission.identify(
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
        .map(refusal -> answer(request, refusal))
        .orElseGet(() -> read(request, asked));
  }

  private Future<Void> read(HttpServerRequest request, IdentifiedRequest asked) {
    UnpaidWork.Account work = unpaid.of(asked.subject());
    work.require();
    Portion bytes = memory.take(asked.subject());
    return uploads
        .whole(request, asked.upstream().maxBodyBytes(), bytes)
        .compose(body -> decide(request, asked, new Body(Optional.of(body), work::payAll)))
        .onComplete(done -> {
          work.spend(bytes.amount());
          bytes.free();
        });
  }

  // A short body is kept so that it can be sent to another provider.
  private static boolean isReplayed(HttpServerRequest request, IdentifiedRequest asked) {
    long length = Framing.length(request).orElse(Long.MAX_VALUE);
    return length > 0 && length <= asked.to().retry().maxBodyBytes();
  }

  private Future<Void> decide(HttpServerRequest request, IdentifiedRequest asked, Body body) {
    return CostedRequest.of(asked, body.whole(), reading -> vertx.executeBlocking(reading, false))
        .compose(priced -> decide(request, body, priced));
  }

  private Future<Void> decide(HttpServerRequest request, Body body, CostedRequest priced) {
    IdentifiedRequest asked = priced.asked();
    Optional<Portion> place = asked.maxDelayMillis() > 0 && waiting.isOpen()
        ? held.tryTake(asked.subject(), 1)
        : Optional.empty();
    long delay = place.isPresent() ? asked.maxDelayMillis() : 0;
    TicketRequest ticket = Tickets.in(request.headers(), delay * MICROS_PER_MILLI);
    Attempt attempt = new Attempt(request, priced, body, ticket, delay, place);
    return Future.succeededFuture()
        .compose(begun -> decide(attempt))
        .onComplete(done -> place.ifPresent(Portion::free));
  }

  private Future<Void> decide(Attempt attempt) {
    return admission
        .admit(context, attempt.priced(), attempt.ticket())
        .compose(ruling -> ruling.fold(
            admitted -> forward(attempt, admitted), refusal -> refuse(attempt, refusal)));
  }

  private Future<Void> forward(Attempt attempt, Admitted admitted) {
    attempt.place().ifPresent(Portion::free);
    attempt.body().onAdmitted().run();
    Optional<Usage> usage = admitted.usage();
    return Future.succeededFuture()
        .compose(begun -> sender.stream(
            attempt.request(),
            attempt.body().whole(),
            admitted.request().asked(),
            admitted.decision(),
            usage))
        .onComplete(ended -> end(admitted, usage, ended.otherwise(UNKNOWN_END).result()))
        .mapEmpty();
  }

  private void end(Admitted admitted, Optional<Usage> usage, End end) {
    OptionalLong cost =
        usage.isPresent() && end.isWhole() ? usage.get().cost() : OptionalLong.empty();
    admission.end(admitted, cost, end.execution());
  }

  // A short enough wait is not an error: the node holds the request until its slot.
  private Future<Void> refuse(Attempt attempt, Refusal refusal) {
    return refusal
        .denial()
        .filter(denied -> denied.ticket().isPresent()
            && waitMillis(denied) <= attempt.delayLeftMillis()
            && waiting.isOpen())
        .map(denied -> hold(attempt, denied, refusal))
        .orElseGet(() -> answer(attempt.request(), refusal));
  }

  private Future<Void> hold(Attempt attempt, Denied denied, Refusal refusal) {
    long wait = waitMillis(denied);
    return waiting
        .hold(WaitingRoom.callerOf(attempt.request()), Math.max(1, wait))
        .compose(
            due -> due ? decide(again(attempt, denied, wait)) : answer(attempt.request(), refusal));
  }

  private static long waitMillis(Denied denied) {
    return (denied.retryAfterMicros() + MICROS_PER_MILLI - 1) / MICROS_PER_MILLI;
  }

  // The policy may have changed during the wait.
  private Attempt again(Attempt attempt, Denied denied, long waited) {
    CostedRequest before = attempt.priced();
    return new Attempt(
        attempt.request(),
        new CostedRequest(admission.identifyAgain(before.asked()), before.cost()),
        attempt.body(),
        TicketRequest.wanted(denied.ticket(), RandomId::next),
        attempt.delayLeftMillis() - waited,
        attempt.place());
  }

  private static Future<Void> answer(HttpServerRequest request, Refusal refusal) {
    return Future.failedFuture(refusal.answer(request.response().headers()));
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
      CostedRequest priced,
      Body body,
      TicketRequest ticket,
      long delayLeftMillis,
      Optional<Portion> place) {}
}
