package io.weir.state.degraded;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.JointStore;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.degraded.LocalShare.Agreement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Decides charges as one also while the shared state is away, as the plan of the first defines. Shares and outages are
 * those of a {@link DegradingStore}. Safe for use by many threads; never blocks.
 */
public final class JointDegradingStore implements JointStore {
  private final JointStore store;
  private final DegradingStore single;

  /** @param single decides on single charges of the same shared state */
  public JointDegradingStore(JointStore store, DegradingStore single) {
    this.store = store;
    this.single = single;
  }

  @Override
  public CompletionStage<List<StoreAnswer>> tryAll(JointCharge joint) {
    Charge first = joint.charges().get(0);
    if (single.isAway(first)) {
      return instead(
          joint, new StoreUnavailableException(StoreFault.UNREACHABLE, "Redis is away", null));
    }
    LocalShare local = single.share(first);
    return local.isHandingOver() || local.hasDecided()
        ? agreed(joint, local)
        : orInstead(joint, store.tryAll(joint));
  }

  private CompletionStage<List<StoreAnswer>> orInstead(
      JointCharge joint, CompletionStage<List<StoreAnswer>> asked) {
    return asked
        .handle((answers, error) -> error == null
            ? CompletableFuture.completedFuture(noted(joint, answers))
            : instead(joint, Failures.cause(error)))
        .thenCompose(answer -> answer);
  }

  private List<StoreAnswer> noted(JointCharge joint, List<StoreAnswer> answers) {
    for (int i = 0; i < answers.size(); i++) {
      single.noted(joint.charges().get(i), answers.get(i));
    }
    return answers;
  }

  // After an outage this node's share has to agree, too, so that units are not admitted again that
  // it has admitted.
  private CompletionStage<List<StoreAnswer>> agreed(JointCharge joint, LocalShare local) {
    List<Charge> rates = joint.charges().stream().map(Charge::withoutOverflow).toList();
    List<Agreement> agreements = new ArrayList<>(rates.size());
    boolean agrees = true;
    for (Charge charge : rates) {
      single.reportOwed(charge);
      Agreement agreement = local.agree(charge);
      agreements.add(agreement);
      agrees &= agreement.denied().isEmpty();
    }
    if (!agrees) {
      takeBack(rates, agreements, local);
      return CompletableFuture.completedFuture(answers(rates, agreements));
    }
    return orInstead(joint, store.tryAll(joint).whenComplete((answers, error) -> {
      if (answers == null || !answers.stream().allMatch(DegradingStore::isAdmitted)) {
        takeBack(rates, agreements, local);
      }
    }));
  }

  private static List<StoreAnswer> answers(List<Charge> charges, List<Agreement> agreements) {
    List<StoreAnswer> answers = new ArrayList<>(charges.size());
    for (int i = 0; i < charges.size(); i++) {
      long revision = charges.get(i).revision();
      answers.add(new Decided(
          agreements
              .get(i)
              .denied()
              .<Decision>map(denied -> denied)
              .orElseGet(() -> new Allowed(revision, List.of(), true)),
          QueueReport.NONE));
    }
    return answers;
  }

  private static void takeBack(List<Charge> charges, List<Agreement> agreements, LocalShare local) {
    for (int i = 0; i < charges.size(); i++) {
      if (agreements.get(i).denied().isEmpty()) {
        local.takeBack(charges.get(i), agreements.get(i));
      }
    }
  }

  private CompletableFuture<List<StoreAnswer>> instead(JointCharge joint, Throwable error) {
    FailureMode mode = joint.charges().get(0).failureMode();
    boolean isCountable = single.hasShare()
        && joint.charges().stream().noneMatch(charge -> charge.demands().isEmpty());
    if (!Failures.isOutage(error)
        || mode == FailureMode.DENY
        || (mode == FailureMode.LOCAL && !isCountable)) {
      return CompletableFuture.failedFuture(new CompletionException(error));
    }
    return CompletableFuture.completedFuture(
        mode == FailureMode.ALLOW ? allowed(joint) : alone(joint));
  }

  private static List<StoreAnswer> allowed(JointCharge joint) {
    return joint.charges().stream()
        .<StoreAnswer>map(charge ->
            new Decided(new Allowed(charge.revision(), List.of(), true), QueueReport.NONE))
        .toList();
  }

  // If one charge is denied, the node's share gets back the units of the others.
  private List<StoreAnswer> alone(JointCharge joint) {
    LocalShare local = single.share(joint.charges().get(0));
    List<Charge> rates = joint.charges().stream().map(Charge::withoutOverflow).toList();
    List<LocalShare.Counted> counted = rates.stream().map(local::decide).toList();
    boolean isAdmitted = counted.stream().allMatch(one -> one.decision() instanceof Allowed);
    List<StoreAnswer> answers = new ArrayList<>(rates.size());
    for (int i = 0; i < rates.size(); i++) {
      if (!isAdmitted) {
        local.giveBack(rates.get(i), counted.get(i));
      }
      answers.add(new Decided(counted.get(i).decision(), QueueReport.NONE));
    }
    return answers;
  }
}
