package io.weir.batch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.weir.batch.IdempotencyStore.Claim;
import io.weir.batch.References.UnresolvedException;
import io.weir.batch.ResolvedItem.Message;
import io.weir.batch.ResolvedItem.Repetition;
import io.weir.client.answer.IdempotentMethods;
import io.weir.core.policy.Destination;
import io.weir.core.policy.Subject;
import io.weir.core.policy.Upstream;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.admission.Admission;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.UnpaidWork;
import io.weir.node.loop.LoopTime;
import io.weir.state.keep.LeaseTerms;
import io.weir.state.keep.RetriedCalls;
import io.weir.state.wire.RandomId;
import io.weir.state.wire.Sha256;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Executes items: claims each item that has a key, sends it, and stores its answer. One for each batch. */
final class ItemExecutor {
  private static final long MAX_REFERRED_BYTES = 8 << 20;
  private static final Duration SLACK = Duration.ofSeconds(2);
  private static final Duration UNKNOWN_AT_MOST = Duration.ofSeconds(10);
  private static final long LOOK_AGAIN_MILLIS = 50;
  private static final int LOOKS = 40;

  private final Vertx vertx;
  private final RetriedCalls ends;
  private final WorkerExecutor workers;
  private final Portion memory;
  private final UnpaidWork.Account work;
  private final IdempotencyStore store;
  private final ItemSender sender;
  private final Subject subject;
  private final Admission admission;
  private final Optional<String> batchKey;

  /**
   * An executor for one batch.
   *
   * @param workers where bodies are parsed
   */
  ItemExecutor(
      Vertx vertx,
      WorkerExecutor workers,
      BatchCaller caller,
      IdempotencyStore store,
      ItemSender sender,
      Admission admission) {
    this.vertx = vertx;
    this.ends = new RetriedCalls(LeaseTerms.ITEM, new LoopTime(vertx), error -> true);
    this.workers = workers;
    this.memory = caller.memory();
    this.work = caller.work();
    this.store = store;
    this.sender = sender;
    this.subject = caller.subject();
    this.admission = admission;
    this.batchKey = caller.key();
  }

  /**
   * Executes an item.
   *
   * @param results of all items before it
   * @param isFirst whether it is the first of this request: it shows the ticket
   * @param continues whether an item before it was admitted
   */
  Future<Done> execute(
      int index, Item item, List<Result> results, boolean isFirst, boolean continues) {
    Optional<Duration> wait = work.waitFor();
    if (wait.isPresent()) {
      return Future.succeededFuture(Done.tooMuchWork(wait.get()));
    }
    References references = new References(results, MAX_REFERRED_BYTES);
    // Bodies and the answers they refer to may be long: parsed off the event loop.
    return workers
        .executeBlocking(() -> resolved(index, item, references, continues), false)
        .onComplete(end -> work.spend(item.body().length() + references.lookedThrough()))
        .compose(resolved -> memory.tryGrow(resolved.message().body().length())
            ? execute(resolved, isFirst)
            : Future.succeededFuture(Done.unavailable("memory_exhausted", Duration.ofSeconds(1))))
        .recover(error -> error instanceof UnresolvedException
            ? Future.succeededFuture(
                Done.of(Result.of("failed", String.valueOf(error.getMessage()))))
            : Future.failedFuture(error));
  }

  private Future<Done> execute(ResolvedItem item, boolean isFirst) {
    if (item.repetition().key().isEmpty()) {
      return sender.send(item, isFirst).map(Sent::done);
    }
    IdempotencyStore.Item named = new IdempotencyStore.Item(
        subject.tenant(),
        subject.id(),
        item.repetition().key().get(),
        item.repetition().fingerprint());
    String token = RandomId.next();
    return claim(named, token, item, LOOKS)
        .compose(claim -> claimed(claim, item, named, token, isFirst))
        .recover(error -> {
          if (!(error instanceof StoreUnavailableException)) {
            return Future.failedFuture(error);
          }
          released(named, token); // the claim may have been made all the same
          return Future.succeededFuture(
              Done.unavailable("store_unavailable", Duration.ofSeconds(1)));
        });
  }

  /** Whether the store holds the result of an item. */
  Future<Boolean> isKept(int index, Item item) {
    Optional<String> key = key(index, item);
    return key.isEmpty()
        ? Future.succeededFuture(false)
        : stage(store.isKept(subject.tenant(), subject.id(), key.get()))
            .recover(error -> Future.succeededFuture(false));
  }

  private Optional<String> key(int index, Item item) {
    return item.idempotencyKey().or(() -> batchKey.map(of -> of + "-" + index));
  }

  private ResolvedItem resolved(int index, Item item, References references, boolean continues)
      throws UnresolvedException {
    Optional<String> key = key(index, item);
    String path = references.path(item);
    Buffer body = references.body(item.body());
    String plain = path.split("\\?", 2)[0];
    Optional<Destination> to = admission.destinationOf(item.method(), plain);
    return new ResolvedItem(
        new Message(item.method(), path, item.headers(), body),
        new Repetition(
            key,
            IdempotentMethods.contains(item.method())
                || (key.isPresent()
                    && to.filter(known -> known.settings().honoursIdempotencyKeys())
                        .isPresent()),
            Sha256.hex(
                (item.method() + ' ' + path + ' ' + item.headers() + ' ').getBytes(UTF_8),
                body.getBytes())),
        to.map(ItemExecutor::atMost).orElse(UNKNOWN_AT_MOST),
        item.isCounted() && continues);
  }

  // If another executor has the item, wait a while: most items are done soon.
  private Future<Claim> claim(
      IdempotencyStore.Item named, String token, ResolvedItem item, int looks) {
    return stage(store.claim(
            named, token, item.atMost().plus(SLACK), item.repetition().isSafe()))
        .compose(claim -> claim instanceof Claim.Busy && looks > 0
            ? vertx
                .timer(LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS)
                .compose(due -> claim(named, token, item, looks - 1))
            : Future.succeededFuture(claim));
  }

  private Future<Done> claimed(
      Claim claim, ResolvedItem item, IdempotencyStore.Item named, String token, boolean isFirst) {
    if (claim instanceof Claim.Claimed) {
      return sender.send(item, isFirst).compose(sent -> settled(sent, named, token));
    }
    return Future.succeededFuture(notClaimed(claim));
  }

  private static Done notClaimed(Claim claim) {
    if (claim instanceof Claim.Done done) {
      Result kept = Result.parse(Buffer.buffer(done.answer())).orElse(Result.of("unknown"));
      return new Done(kept, 200, MultiMap.caseInsensitiveMultiMap(), true);
    }
    if (claim instanceof Claim.Busy busy) {
      // An executor that takes that long may be dead: wait half of the remaining time, so that few
      // attempts are needed.
      return Done.unavailable("item_under_way", busy.atMost().dividedBy(2));
    }
    if (claim instanceof Claim.Full full) {
      return Done.unavailable("results_full", full.atMost());
    }
    return Done.of(
        claim instanceof Claim.Unknown
            ? Result.of("unknown")
            : Result.of("failed", "the idempotency key was used for something else"));
  }

  // The caller gets the result whether or not it could be stored.
  private Future<Done> settled(Sent sent, IdempotencyStore.Item named, String token) {
    Future<Void> settled = switch (sent.claim()) {
      case KEEP -> stage(store.keep(named, token, sent.done().result().json().toString()));
      case RELEASE -> released(named, token);
      case LEAVE -> Future.succeededFuture();
    };
    return settled.transform(end -> Future.succeededFuture(sent.done()));
  }

  // The answer does not wait for the second try.
  private Future<Void> released(IdempotencyStore.Item named, String token) {
    return stage(store.release(named, token)).onFailure(error -> {
      CompletionStage<Void> unused = ends.callAgain(() -> store.release(named, token));
    });
  }

  // The longest time for an item; its claim lasts a little longer.
  private static Duration atMost(Destination to) {
    Upstream upstream = to.settings();
    long sending = (long) upstream.connectTimeoutMillis() + upstream.timeoutMillis();
    return Duration.ofMillis(sending + to.queueMillis()).plus(SLACK);
  }

  private <T> Future<T> stage(CompletionStage<T> stage) {
    return Future.fromCompletionStage(stage, vertx.getOrCreateContext())
        .recover(error -> Future.failedFuture(Failures.cause(error)));
  }
}
