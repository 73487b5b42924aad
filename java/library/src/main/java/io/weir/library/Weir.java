package io.weir.library;

import static java.util.Objects.requireNonNull;

import io.weir.core.decision.Decision;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Cost;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.Throttle;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.state.hold.Holds;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits of a cluster, asked by a Java program without a node between. A program decides as the nodes do, on the
 * same Redis and by the same policy: one limit for all of them. Open one for the whole program, and close it at the end.
 *
 * <pre>{@code
 * try (Weir weir = Weir.connect("redis://localhost:6379")) {
 *   Decision decision = weir.blocking().tryAcquire("key-1", "Search");
 *   if (decision instanceof Decision.Denied denied) {
 *     System.out.println("again in " + denied.retryAfter());
 *   }
 * }
 * }</pre>
 *
 * <p>Every stage of a decision completes: exceptionally with a {@link StoreUnavailableException} if the shared state is
 * away and the plan denies then, with an {@link UnknownSubjectException} if the policy has no such subject, or with a
 * {@link io.weir.core.throttle.HoldNeededException} if the operation takes permits and was not {@link #enter entered}.
 * It takes at most twice the time-out of Redis, and longer only if the policy changes meanwhile. Calls of a closed one
 * throw {@link IllegalStateException}. Safe for use by many threads; never blocks.
 */
public final class Weir implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Weir.class);

  private final Parts parts;
  private final Throttle throttle;
  private final WeirListener listener;
  private final Delivery delivery;
  private final Duration redisTimeout;
  private final Timers timers = new Timers();
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final Waits waits;
  private final Holds holds;
  private final Admissions admissions;

  Weir(Parts parts, WeirBuilder how) {
    this.parts = parts;
    this.throttle = new Throttle(parts.store(), parts.policies());
    this.listener = how.listener();
    this.delivery = new Delivery(how.executor());
    this.redisTimeout = how.redisTimeout();
    this.waits = new Waits(timers, how.mostWaiting(), this::decide);
    this.holds =
        new Holds(timers, parts.holds(), Holds.Events.NONE, parts.figures().liveNodes());
    this.admissions = new Admissions(throttle, parts.policies(), holds);
    holds.start();
  }

  /**
   * Connects to the Redis of a cluster, and takes over its policy; see {@link WeirBuilder#open}.
   *
   * @param redisUri such as {@code redis://host:6379}, {@code redis+sentinel://…} or {@code redis+cluster://…}
   */
  public static Weir connect(String redisUri) {
    return builder(redisUri).open();
  }

  /** The same with settings. */
  public static WeirBuilder builder(String redisUri) {
    return new WeirBuilder(redisUri);
  }

  /**
   * Limits in the memory of this program alone, for tests and for programs of one process.
   *
   * @param policy YAML or JSON
   * @throws io.weir.core.policy.InvalidPolicyException if it is invalid, with all problems
   */
  public static Weir inMemory(String policy) {
    return inMemory(policy, WeirListener.NONE);
  }

  /** The same with a listener. */
  public static Weir inMemory(String policy, WeirListener listener) {
    return new Weir(Parts.inMemory(policy), builder("redis://none").listener(listener));
  }

  /** Takes the operation's own cost, or nothing. */
  public CompletionStage<Decision> tryAcquire(String subject, String operation) {
    // The most frequent question: a decision that a lease makes is all that it allocates.
    return listener == WeirListener.NONE
        ? delivery.of(decided(subject, operation), decision -> {})
        : tryAcquire(AcquireRequest.of(subject, operation));
  }

  /**
   * Takes a cost, or nothing.
   *
   * @param cost in operations, above 0
   */
  public CompletionStage<Decision> tryAcquire(String subject, String operation, long cost) {
    return tryAcquire(AcquireRequest.of(subject, operation).cost(cost));
  }

  /** Takes what is asked for, or nothing. A denial has a ticket: whoever shows it at its time finds its place kept. */
  public CompletionStage<Decision> tryAcquire(AcquireRequest request) {
    return delivery.of(decided(request), decision -> {});
  }

  /**
   * Waits for its slot and takes what is asked for then. If the slot is later than {@code atMost} from now, or if too
   * many wait already, it is denied at once: nobody waits in vain. Whoever cancels
   * the future waits no more; its place passes with its time.
   */
  public CompletableFuture<Decision> acquire(AcquireRequest request, Duration atMost) {
    return waits.acquire(request, atMost, delivery);
  }

  /** The decision that {@link #tryAcquire} would make; takes nothing, and fails while the shared state is away. */
  public CompletionStage<Decision> peek(AcquireRequest request) {
    return delivery.of(peeked(request), decision -> {});
  }

  /**
   * Admits a request that holds the permits of its operation, and the reservation if the policy settles the operation,
   * until the hold is closed.
   */
  public CompletionStage<Hold> enter(AcquireRequest request) {
    return delivery.of(entered(request, false), Hold::cancel);
  }

  /** The same for a request whose final cost is told later: see {@link Hold#settle}. */
  public CompletionStage<Hold> reserve(AcquireRequest request) {
    return delivery.of(entered(request, true), Hold::cancel);
  }

  /** The same calls for threads that may be blocked, such as virtual ones and those of servlets. */
  public BlockingWeir blocking() {
    return new BlockingWeir(this);
  }

  /** The policy that counts, as far as this program knows. */
  public PolicyRevision policy() {
    return parts.policies().current();
  }

  /** The fraction of the shared state that is away, from 0 to 1. */
  public double shareAway() {
    return parts.figures().shareAway().getAsDouble();
  }

  /** Operations of leased buckets that this program holds: they are no other's until it spends or returns them. */
  public double leased() {
    return parts.figures().leased().getAsDouble();
  }

  /** The number of callers that wait in {@link #acquire}. */
  public int waiting() {
    return waits.size();
  }

  /** The number of open permits and reservations. */
  public int open() {
    return holds.size();
  }

  /**
   * Ends all waits with a {@link java.util.concurrent.CancellationException}, gives open permits back, and closes the
   * connections. Blocks for some time-outs of Redis at most, and some seconds more if its connections hang.
   */
  @Override
  public void close() {
    if (isClosed.getAndSet(true)) {
      return;
    }
    waits.cancel();
    holds.stop();
    bounded(admissions.close());
    bounded(holds.endAll());
    timers.close();
    holds.abandon();
    waits.cancel();
    for (AutoCloseable one : parts.toClose()) {
      try {
        one.close();
      } catch (Exception e) { // the others have to be closed, too
        LOG.warn("{} could not be closed", one.getClass().getSimpleName(), e);
      }
    }
  }

  private void bounded(CompletionStage<Void> end) {
    end.toCompletableFuture()
        .completeOnTimeout(null, 2 * redisTimeout.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  // The answers themselves, on whichever thread they come.

  CompletionStage<Decision> decided(AcquireRequest request) {
    return decided(request, Admissions.ticket(request));
  }

  private CompletionStage<Decision> decided(String subject, String operation) {
    requireOpen();
    requireNonNull(operation, "operation");
    return throttle.tryTake(
        requireNonNull(subject, "subject"),
        operation,
        parts.policies().current().policy().ownCost(operation),
        Admissions.NEWCOMER);
  }

  CompletionStage<Decision> peeked(AcquireRequest request) {
    requireOpen();
    return throttle.peek(request.subject(), request.operation(), cost(request).most());
  }

  CompletionStage<Hold> entered(AcquireRequest request, boolean reserves) {
    requireOpen();
    return reported(request, admissions.admit(request, reserves), Hold::decision);
  }

  /** See {@link #acquire}; it completes on the thread of the answer. */
  CompletableFuture<Decision> acquired(AcquireRequest request, Duration atMost) {
    return waits.acquire(request, atMost, new Delivery(Runnable::run));
  }

  private CompletionStage<Decision> decide(AcquireRequest request, long withinMicros) {
    return decided(request, Admissions.ticket(request, withinMicros));
  }

  private CompletionStage<Decision> decided(AcquireRequest request, TicketRequest ticket) {
    requireOpen();
    return reported(request, decided(request, cost(request), ticket), decision -> decision);
  }

  private CompletionStage<Decision> decided(
      AcquireRequest request, Cost cost, TicketRequest ticket) {
    return cost.isPartial()
        ? throttle.tryTake(
            request.subject(), request.operation(), cost, ticket, limited -> Optional.empty())
        : throttle.tryTake(request.subject(), request.operation(), cost.most(), ticket);
  }

  private void requireOpen() {
    if (isClosed.get()) {
      throw new IllegalStateException("this Weir is closed");
    }
  }

  private Cost cost(AcquireRequest request) {
    return Admissions.cost(request, parts.policies().current().policy());
  }

  private <T> CompletionStage<T> reported(
      AcquireRequest request, CompletionStage<T> answer, Function<T, Decision> decision) {
    return listener == WeirListener.NONE
        ? answer
        : answer.whenComplete(
            (found, error) -> report(request, found == null ? null : decision.apply(found), error));
  }

  // A listener that fails must not withhold the answer.
  private void report(
      AcquireRequest request, @Nullable Decision decision, @Nullable Throwable error) {
    try {
      if (decision != null) {
        listener.decided(request, decision);
      } else if (error != null) {
        listener.undecided(request, Failures.cause(error));
      }
    } catch (Throwable e) { // of any kind: the answer is worth more
      LOG.warn("a listener failed", e);
    }
  }
}
