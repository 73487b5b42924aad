package io.weir.batch;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.batch.References.UnresolvedException;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Admitted;
import io.weir.node.admission.CostedRequest;
import io.weir.node.admission.IdentifiedRequest;
import io.weir.node.admission.Request;
import io.weir.node.admission.Ruling;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.answer.Tickets;
import io.weir.node.auth.KeyHeaders;
import io.weir.node.extension.LoopParts;
import io.weir.node.gateway.Diversion;
import io.weir.node.hold.Execution;
import io.weir.node.intake.UnpaidWork;
import io.weir.node.intake.Upload;
import io.weir.node.upstream.NotSentException;
import io.weir.node.upstream.OutgoingRequest;
import io.weir.node.upstream.Sender;
import io.weir.node.upstream.WholeRequest;
import io.weir.node.usage.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Sends one item: admits and forwards it like a request of its own. One for each batch. */
final class ItemSender {
  private static final List<String> FROM_THE_BATCH =
      List.of(KeyHeaders.HEADER, HttpHeaders.AUTHORIZATION.toString(), "Prefer");

  private static final ProblemDetails JOB = ProblemDetails.of(
      400, "job_in_batch", "The operation is done as a job: it cannot be an item of a batch");

  private final Vertx vertx;
  private final WorkerExecutor workers;
  private final Context context;
  private final Admission admission;
  private final Sender sender;
  private final List<Diversion> diversions;
  private final Subject subject;
  private final UnpaidWork.Account work;
  private final HttpServerRequest batch;

  /**
   * A sender for one batch.
   *
   * @param workers where long bodies are read
   * @param work reduced by each item that is admitted
   */
  ItemSender(
      WorkerExecutor workers,
      LoopParts loop,
      List<Diversion> diversions,
      Subject subject,
      UnpaidWork.Account work,
      HttpServerRequest batch) {
    this.vertx = loop.vertx();
    this.workers = workers;
    this.context = vertx.getOrCreateContext();
    this.admission = loop.node().admission();
    this.sender = loop.sender();
    this.diversions = diversions;
    this.subject = subject;
    this.work = work;
    this.batch = batch;
  }

  /**
   * Sends an item.
   *
   * @param isFirst whether it is the first of its request: it shows the ticket
   * @return never fails
   */
  Future<Sent> send(ResolvedItem item, boolean isFirst) {
    return Future.succeededFuture()
        .compose(begun -> admitted(item, isFirst))
        .recover(error -> Future.succeededFuture(
            error instanceof RefusedException refusal
                ? Judge.refused(refusal.problem())
                : Judge.lost(item, 502)));
  }

  /**
   * Throws {@link RefusedException} if the node knows already that a batch is denied which begins with this item. It does
   * not know of an item with a key: its result may be kept.
   */
  void requireNotDenied(Item first) {
    asked(first)
        .flatMap(asked -> admission
            .foreseen(asked, Tickets.in(asked.request().headers(), 0))
            .filter(refusal -> refusal.denial().isPresent()))
        .ifPresent(refusal -> {
          MultiMap headers = batch.response().headers();
          headers.set(BatchRun.EXECUTED, "0");
          throw refusal.answer(headers);
        });
  }

  // An item that fails for another reason has its result in the answer.
  private Optional<IdentifiedRequest> asked(Item first) {
    if (first.idempotencyKey().isPresent()) {
      return Optional.empty();
    }
    try {
      String path = new References(List.of(), 0).path(first);
      return Optional.of(asked(first.method(), path, headers(first.headers(), true)));
    } catch (UnresolvedException | RefusedException e) {
      return Optional.empty();
    }
  }

  private IdentifiedRequest asked(String method, String target, MultiMap headers) {
    IdentifiedRequest asked =
        admission.identifyWithin(new Request(method, target, headers), subject);
    if (diversions.stream().anyMatch(diversion -> diversion.takes(asked))) {
      throw new RefusedException(JOB);
    }
    return asked;
  }

  private Future<Sent> admitted(ResolvedItem item, boolean isFirst) {
    MultiMap headers = headers(item, isFirst);
    IdentifiedRequest asked = asked(item.message().method(), item.message().target(), headers);
    if (item.message().body().length() > asked.upstream().maxBodyBytes()) {
      throw Upload.tooLong();
    }
    return CostedRequest.of(
            asked,
            Optional.of(item.message().body()),
            reading -> workers.executeBlocking(reading, false))
        .compose(priced -> admitted(item, priced, Tickets.in(headers, 0)));
  }

  private Future<Sent> admitted(ResolvedItem item, CostedRequest priced, TicketRequest ticket) {
    Future<Ruling> ruling = item.isCounted() && priced.asked().continues()
        ? admission.admitContinuing(context, priced)
        : admission.admit(context, priced, ticket);
    return ruling.compose(made -> made.fold(
        passes -> {
          work.pay();
          return forwardAndEnd(item, passes);
        },
        refusal -> Future.succeededFuture(Judge.refused(refusal))));
  }

  // The item's holds end with it, whatever its outcome.
  private Future<Sent> forwardAndEnd(ResolvedItem item, Admitted admitted) {
    List<Usage> readers = new ArrayList<>(1);
    AtomicReference<Execution> execution = new AtomicReference<>(Execution.UNKNOWN);
    return forward(item, admitted, readers, execution::set).onComplete(done -> {
      OptionalLong actual = readers.isEmpty()
          ? OptionalLong.empty()
          : readers.get(readers.size() - 1).cost();
      admission.end(admitted, actual, requireNonNull(execution.get()));
    });
  }

  private Future<Sent> forward(
      ResolvedItem item, Admitted admitted, List<Usage> readers, Consumer<Execution> ended) {
    IdentifiedRequest asked = admitted.request().asked();
    long deadline = System.nanoTime() + item.atMost().toNanos();
    WholeRequest<UpstreamAnswer> request = new WholeRequest<>(
        OutgoingRequest.of(batch, asked),
        Optional.of(item.message().body()),
        item.repetition().isSafe(),
        deadline,
        batch.response()::closed,
        (outgoing, turn, filter) -> {
          // Each attempt has its own reader; the cost of the last answer counts.
          Optional<Usage> usage = admitted.usage();
          usage.ifPresent(readers::add);
          return answered(outgoing, item, deadline, usage)
              .compose(answer ->
                  filter.passed(answer, answer.status(), answer.headers(), answer.shortBody()));
        });
    return sender
        .whole(request, ended)
        .map(answer -> Judge.answered(item, answer, admitted))
        .recover(error -> Future.succeededFuture(judged(asked, item, error)));
  }

  private Future<UpstreamAnswer> answered(
      HttpClientRequest outgoing, ResolvedItem item, long deadlineNanos, Optional<Usage> usage) {
    long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    long timer = vertx.setTimer(Math.max(1, left), late -> outgoing.reset());
    return outgoing
        .send(item.message().body())
        .compose(head -> UpstreamAnswer.of(head, usage))
        .onComplete(end -> vertx.cancelTimer(timer));
  }

  private Sent judged(IdentifiedRequest asked, ResolvedItem item, Throwable error) {
    if (error instanceof RefusedException refusal) {
      return Judge.refused(refusal.problem());
    }
    if (error instanceof NotSentException) {
      return Judge.notSent();
    }
    ProblemDetails problem = sender.problem(asked.upstream(), error);
    return Judge.lost(item, problem.status());
  }

  private MultiMap headers(ResolvedItem item, boolean isFirst) {
    MultiMap headers = headers(item.message().headers(), isFirst);
    item.repetition().key().ifPresent(key -> headers.set("Idempotency-Key", key));
    if (item.message().body().length() > 0 && !headers.contains(HttpHeaders.CONTENT_TYPE)) {
      headers.set(HttpHeaders.CONTENT_TYPE, "application/json");
    }
    return headers;
  }

  private MultiMap headers(Map<String, String> ofItem, boolean isFirst) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    ofItem.forEach(headers::set);
    for (String name : FROM_THE_BATCH) {
      batch.headers().getAll(name).forEach(value -> headers.add(name, value));
    }
    String ticket = batch.getHeader(Tickets.RETRY_TICKET);
    if (isFirst && ticket != null) {
      headers.set(Tickets.RETRY_TICKET, ticket);
    }
    return headers;
  }
}
