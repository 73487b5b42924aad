package io.weir.batch;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.batch.Mistakes.BadBatchException;
import io.weir.core.policy.Subject;
import io.weir.node.admission.Admission;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.extension.LoopParts;
import io.weir.node.gateway.Diversion;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.UnpaidWork;
import io.weir.node.intake.Upload;
import java.util.List;
import java.util.Optional;

/**
 * {@code POST /v1/batch}: operations, in order, each admitted and forwarded separately. Stops at the first item that is
 * not executed. An item with an idempotency key is executed once, however often and through whichever nodes it is sent.
 */
public final class BatchDoor implements Door {
  // A batch together with all the answers it may carry.
  private static final int MAX_BYTES = 8 << 20;
  private static final int MAX_KEY = 200;
  /** Threads that read batches, for the whole node: half of the processors are left to the event loops. */
  private static final int WORKERS = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

  private static final ProblemDetails TOO_MANY =
      ProblemDetails.of(503, "batches_too_many", "Too many batches are under way");

  private final Vertx vertx;
  private final Upload uploads;
  private final Admission admission;
  private final LoopParts loop;
  private final List<Diversion> diversions;
  private final IdempotencyStore store;
  private final Bulkhead batches;
  private final UnpaidWork unpaid;
  private final Bulkhead memory;
  private final WorkerExecutor workers;

  /**
   * A door for one event loop.
   *
   * @param diversions of all extensions
   * @param batches that are running
   */
  BatchDoor(LoopParts loop, List<Diversion> diversions, IdempotencyStore store, Bulkhead batches) {
    this.vertx = loop.vertx();
    this.uploads = new Upload(vertx);
    this.admission = loop.node().admission();
    this.loop = loop;
    this.diversions = diversions;
    this.store = store;
    this.batches = batches;
    this.unpaid = loop.node().unpaid();
    this.memory = loop.node().memory();
    this.workers = vertx.createSharedWorkerExecutor("weir-batches", WORKERS);
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.post("/v1/batch", asked -> execute(asked.http())));
  }

  private Future<Void> execute(HttpServerRequest request) {
    return admission.authenticate(request).compose(subject -> execute(request, subject));
  }

  private Future<Void> execute(HttpServerRequest request, Subject subject) {
    Optional<String> key = key(request);
    UnpaidWork.Account work = unpaid.of(subject);
    work.require();
    Portion place = batches.tryTake(subject, 1).orElseThrow(() -> new RefusedException(TOO_MANY));
    Portion bytes = memory.take(subject);
    ItemSender items = new ItemSender(workers, loop, diversions, subject, work, request);
    BatchCaller caller = new BatchCaller(subject, key, bytes, work);
    return Future.succeededFuture()
        .compose(begun -> read(request, caller, items))
        .onFailure(error -> work.spend(bytes.amount()))
        .compose(body -> parsed(body, work))
        .compose(batch -> run(request, batch, caller, items))
        .compose(end -> answer(request.response(), end))
        .onComplete(end -> {
          place.free();
          bytes.free();
        });
  }

  // A batch with a key is read whole, as the results of its items may be kept.
  private Future<Buffer> read(HttpServerRequest request, BatchCaller caller, ItemSender items) {
    return caller.key().isPresent()
        ? uploads.whole(request, MAX_BYTES, caller.memory())
        : uploads.whole(
            request,
            MAX_BYTES,
            caller.memory(),
            start -> BatchRequest.firstItem(start.getBytes()).ifPresent(items::requireNotDenied));
  }

  // Parsing a long body would block the event loop for too long.
  private Future<BatchRequest> parsed(Buffer body, UnpaidWork.Account work) {
    work.spend(body.length());
    return workers
        .executeBlocking(() -> BatchRequest.parse(body.getBytes()), false)
        .recover(error -> Future.failedFuture(
            error instanceof BadBatchException bad ? invalid(bad.mistakes()) : error));
  }

  private Future<BatchRun.End> run(
      HttpServerRequest request, BatchRequest batch, BatchCaller caller, ItemSender items) {
    ItemExecutor executor = new ItemExecutor(vertx, workers, caller, store, items, admission);
    return new BatchRun(batch, executor, () -> request.response().closed()).run();
  }

  private static Optional<String> key(HttpServerRequest request) {
    Optional<String> key = Optional.ofNullable(request.getHeader("Idempotency-Key"));
    if (key.filter(text -> text.isEmpty() || text.length() > MAX_KEY).isPresent()) {
      throw invalid(List.of("Idempotency-Key: (expected: 1 to %d characters)".formatted(MAX_KEY)));
    }
    return key;
  }

  private static RefusedException invalid(List<String> mistakes) {
    return new RefusedException(ProblemDetails.badRequest("batch_invalid", mistakes));
  }

  private static Future<Void> answer(HttpServerResponse response, BatchRun.End end) {
    if (response.closed()) {
      return Future.succeededFuture(); // the caller will send the batch again
    }
    response.headers().addAll(end.headers());
    return response
        .setStatusCode(end.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .putHeader(BatchRun.EXECUTED, Integer.toString(end.executed()))
        .end(json(end));
  }

  private static Buffer json(BatchRun.End end) {
    Buffer json = Buffer.buffer("{\"results\":[");
    for (int i = 0; i < end.results().size(); i++) {
      json.appendString(i == 0 ? "" : ",").appendBuffer(end.results().get(i).json());
    }
    json.appendString("],\"executed\":" + end.executed());
    if (end.executed() < end.results().size()) {
      json.appendString(",\"firstUnexecuted\":" + end.executed());
    }
    return json.appendString("}");
  }
}
