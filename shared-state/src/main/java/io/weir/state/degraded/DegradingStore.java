package io.weir.state.degraded;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.Stages;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.degraded.LocalShare.Agreement;
import io.weir.state.degraded.LocalShare.Debt;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A store that also answers while the shared state is away, as each plan defines ({@link io.weir.core.policy.FailureMode}).
 * Errors that are not an outage fail as before: a wrong password, a missing permission, a state that cannot be read.
 * Safe for use by many threads; never blocks.
 */
public final class DegradingStore implements BucketStore {
  private final BucketStore store;
  private final Outages outages;
  private final ToIntFunction<Charge> part;
  private final LongSupplier nanoClock;
  private final boolean hasShare;
  private final LastLevels levels = new LastLevels();
  /** By part of the shared state. */
  private final List<LocalShare> shares;

  /**
   * @param outages observes the calls of {@code store}
   * @param part the part of the shared state that decides on a charge
   * @param liveNodes the number of live nodes at the last count, including this one
   * @param nanoClock nanoseconds since any fixed instant
   * @param hasShare whether this process counts as a node; others deny what a node decides alone
   */
  public DegradingStore(
      BucketStore store,
      Outages outages,
      ToIntFunction<Charge> part,
      IntSupplier liveNodes,
      LongSupplier nanoClock,
      boolean hasShare) {
    this.store = store;
    this.outages = outages;
    this.part = part;
    this.nanoClock = nanoClock;
    this.hasShare = hasShare;
    this.shares = IntStream.range(0, outages.parts())
        .mapToObj(i -> new LocalShare(nanoClock, liveNodes, levels, outages.parts()))
        .toList();
    outages.onBack(i -> shares.get(i).handOver());
  }

  /** A charge that accepts less than its cost takes the least while this node decides, or has to agree. */
  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge asked) {
    Charge charge = asked.isPartial() && !isUndisturbed(asked) ? asked.atLeast() : asked;
    return tryCharge(charge, store::tryCharge, store::tryCharge).thenApply(Counted::answer);
  }

  /**
   * An answer.
   *
   * @param giveBack gives back the units that this node has counted for it locally; called once, if the charge as a
   *     whole was not admitted
   */
  public record Counted(StoreAnswer answer, Runnable giveBack) {
    Counted(StoreAnswer answer) {
      this(answer, () -> {});
    }
  }

  /**
   * The same with another store than {@code store}.
   *
   * @param report reports the units that this node has admitted locally; its answer is not awaited
   */
  public CompletionStage<Counted> tryCharge(
      Charge charge,
      Function<Charge, CompletionStage<StoreAnswer>> question,
      Function<Charge, CompletionStage<StoreAnswer>> report) {
    if (isAway(charge)) {
      return instead(charge.atLeast());
    }
    return share(charge).isHandingOver()
        ? agreed(charge, question, report)
        : asked(charge, question);
  }

  /** Whether the part of the shared state that decides on a charge is away. */
  boolean isAway(Charge charge) {
    return outages.isAway(part.applyAsInt(charge));
  }

  /** Whether this process counts as a node. */
  boolean hasShare() {
    return hasShare;
  }

  /** Whether nothing but the shared state, or a lease of it, has to decide on a charge now. */
  public boolean isUndisturbed(Charge charge) {
    LocalShare local = share(charge);
    return !local.isHandingOver()
        && !local.hasDecided()
        && !outages.isAway(part.applyAsInt(charge));
  }

  private CompletionStage<Counted> asked(
      Charge charge, Function<Charge, CompletionStage<StoreAnswer>> question) {
    CompletableFuture<StoreAnswer> asked = question.apply(charge).toCompletableFuture();
    if (Stages.isKnown(asked)) {
      return CompletableFuture.completedFuture(new Counted(noted(charge, asked.join())));
    }
    return asked.handle((answer, error) ->
        error == null ? answered(charge, answer) : insteadOf(charge.atLeast(), error));
  }

  private static Charge granted(Charge charge, StoreAnswer answer) {
    return answer instanceof Decided decided
        ? charge.granted(decided.decision().remarks().granted().orElse(charge.cost()))
        : charge;
  }

  // If this node has admitted charges since it asked, the shared state did not know of them: it may
  // have admitted the same units. Then the node's share has to agree, as after an outage. A charge
  // of several kinds may hold permits, or be reserved: it stays admitted, and later ones pay for
  // it.
  private Counted answered(Charge charge, StoreAnswer answer) {
    LocalShare local = share(charge);
    boolean hasCounted = local.hasDecided() || local.isHandingOver();
    StoreAnswer noted = noted(charge, answer);
    if (!hasCounted || !isAdmitted(answer)) {
      return new Counted(noted);
    }
    Charge asRates = granted(charge, answer).withoutOverflow();
    if (charge.isMixed()) {
      local.count(asRates);
      return new Counted(noted);
    }
    Agreement agreement = local.agree(asRates);
    return agreement.denied().isPresent()
        ? denied(agreement.denied().get())
        : new Counted(noted, () -> local.takeBack(asRates, agreement));
  }

  // Both the shared state and this node have to admit, so that locally admitted units are not
  // admitted again.
  private CompletionStage<Counted> agreed(
      Charge charge,
      Function<Charge, CompletionStage<StoreAnswer>> question,
      Function<Charge, CompletionStage<StoreAnswer>> report) {
    LocalShare local = share(charge);
    Charge asRates = charge.withoutOverflow();
    reportOwed(asRates, local, report);
    Agreement agreement = local.agree(asRates);
    if (agreement.denied().isPresent()) {
      return CompletableFuture.completedFuture(denied(agreement.denied().get()));
    }
    return question.apply(charge).handle((answer, error) -> {
      Runnable giveBack = () -> local.takeBack(asRates, agreement);
      if (isAdmitted(answer) && agreement.isOfAll()) {
        return new Counted(noted(charge, answer), giveBack);
      }
      giveBack.run(); // a bucket of the node may have come since: then all have to agree again
      return error == null ? answered(charge, answer) : insteadOf(charge, error);
    });
  }

  private static Counted denied(Denied denied) {
    return new Counted(new Decided(denied, QueueReport.NONE));
  }

  /** Reports locally admitted units to the shared state, as {@link #tryCharge} does before it asks. */
  void reportOwed(Charge charge) {
    reportOwed(charge, share(charge), store::tryCharge);
  }

  // Reports locally admitted units to the shared state, which counts them.
  private static void reportOwed(
      Charge charge, LocalShare local, Function<Charge, CompletionStage<StoreAnswer>> report) {
    Optional<Debt> debt = local.owed(charge);
    if (debt.isPresent()) {
      Charge owed = charge
          .with(Amount.ofRates(debt.get().demands(), debt.get().operations()))
          .with(Queueing.NONE);
      CompletionStage<StoreAnswer> unused = report.apply(owed).whenComplete((answer, error) -> {
        if (!isAdmitted(answer)) {
          local.oweAgain(debt.get(), answer instanceof Decided);
        }
      });
    }
  }

  /** Whether an answer admits its charge. */
  static boolean isAdmitted(@Nullable StoreAnswer answer) {
    return answer instanceof Decided decided && decided.decision() instanceof Allowed;
  }

  /** Takes note of an answer of the shared state, and returns it. */
  StoreAnswer noted(Charge charge, StoreAnswer answer) {
    if (answer instanceof Decided decided) {
      note(charge, decided.decision(), nanoClock.getAsLong());
    }
    return answer;
  }

  /** Takes note of a decision of the shared state, or of a lease of it. */
  public void note(Charge charge, Decision decision, long nowNanos) {
    if (!charge.atLeast().isMixed()) { // the levels are known, whatever part of the cost was taken
      levels.note(charge, decision, nowNanos);
    }
    LocalShare local = share(charge);
    if (local.hasDecided() && !outages.isAway(part.applyAsInt(charge))) {
      local.handOver();
    }
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge charge) {
    return store.peek(charge);
  }

  @Override
  public Optional<Decision> foreseen(Charge charge) {
    return outages.isAway(part.applyAsInt(charge)) || share(charge).isHandingOver()
        ? Optional.empty()
        : store.foreseen(charge);
  }

  private CompletionStage<Counted> instead(Charge charge) {
    StoreUnavailableException error =
        new StoreUnavailableException(StoreFault.UNREACHABLE, "Redis is away", null);
    try {
      return CompletableFuture.completedFuture(insteadOf(charge, error));
    } catch (CompletionException e) {
      return CompletableFuture.failedFuture(error);
    }
  }

  private Counted insteadOf(Charge charge, Throwable error) {
    Throwable cause = Failures.cause(error);
    if (!Failures.isOutage(cause)) {
      throw new CompletionException(cause);
    }
    return switch (charge.failureMode()) {
      case LOCAL -> {
        if (!hasShare || charge.demands().isEmpty()) { // a node has no bucket to count in
          throw new CompletionException(cause);
        }
        yield alone(charge.withoutOverflow(), share(charge));
      }
      case ALLOW ->
        new Counted(new Decided(new Allowed(charge.revision(), List.of(), true), QueueReport.NONE));
      case DENY -> throw new CompletionException(cause);
    };
  }

  private static Counted alone(Charge charge, LocalShare local) {
    LocalShare.Counted counted = local.decide(charge);
    return new Counted(
        new Decided(counted.decision(), QueueReport.NONE), () -> local.giveBack(charge, counted));
  }

  LocalShare share(Charge charge) {
    return shares.get(part.applyAsInt(charge));
  }
}
