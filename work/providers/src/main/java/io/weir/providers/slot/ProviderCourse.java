package io.weir.providers.slot;

import io.vertx.core.Future;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Plan;
import io.weir.node.upstream.Course;
import io.weir.node.upstream.NotRetried;
import io.weir.node.upstream.OutgoingRequest;
import io.weir.node.upstream.SendSlot;
import io.weir.providers.queue.BookedSlot;
import io.weir.providers.queue.ProviderMeters;
import io.weir.providers.queue.ProviderMeters.RequestEnd;
import io.weir.providers.queue.SlotRequest;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Providers;
import io.weir.providers.slot.ProviderSendSlots.Parts;
import java.util.function.BooleanSupplier;

/** The way of one request through the providers of an upstream. Mutable; owned by its event loop. */
final class ProviderCourse implements Course {
  private final Parts node;
  private final OutgoingRequest request;
  private final RetryBudget budget;
  private final TriedKeys tried;
  private UsableProviders usable;
  private String last = "";
  private int probes;

  ProviderCourse(Parts node, OutgoingRequest request, RetryBudget budget) {
    this.node = node;
    this.request = request;
    this.budget = budget;
    this.tried = new TriedKeys(node.lessons(), request.target().group());
    this.usable = node.usables().of((Providers) request.target().to());
    budget.earn(to().retry().budgetPercent()); // each request earns a fraction of a retry
  }

  @Override
  public Providers to() {
    return usable.configured();
  }

  @Override
  public Future<SendSlot> next(
      BooleanSupplier isRepeatable, long deadlineNanos, BooleanSupplier isGone) {
    return node.gate()
        .enter(() -> wish(isRepeatable, deadlineNanos, isGone), true)
        .map(this::begin);
  }

  private SlotRequest wish(
      BooleanSupplier isRepeatable, long deadlineNanos, BooleanSupplier isGone) {
    usable = now();
    usable.refuseKeyless(request.target().group());
    return new SlotRequest(
        usable.upstream(),
        request.caller(),
        request.target().group(),
        tried.before(),
        request.attempts(to()) > 1 && isRepeatable.getAsBoolean(),
        new SlotRequest.Patience(deadlineNanos, isGone));
  }

  private UsableProviders now() {
    UsableProviders all = node.usables().now(to().name());
    return request.target().place().isEmpty()
        ? all
        : node.usables().only(all, request.target().place());
  }

  private SendSlot begin(BookedSlot entered) {
    Provider provider = usable.upstream().named(entered.provider()).orElseThrow();
    tried.begin(entered);
    last = provider.name();
    // Bounded: a request must not try providers forever, whatever their breakers do.
    boolean isFree = entered.isProbe() && probes < usable.upstream().all().size();
    probes += isFree ? 1 : 0;
    return new ProviderSendSlot(node, usable, provider, entered, tried, isFree);
  }

  @Override
  public boolean hasAnother() {
    return usable.hasAnother(request.target().group(), tried.places());
  }

  @Override
  public boolean tryPay() {
    return budget.spend(to().retry().budgetPercent(), System.nanoTime());
  }

  @Override
  public void again(long waitMillis) {
    meters().again(to().name(), operation(), last, waitMillis);
  }

  @Override
  public void answered() {
    end(RequestEnd.ANSWERED);
  }

  @Override
  public void failed(NotRetried why) {
    meters().notRetried(to().name(), last, why);
    if (tried.areSeveral()) {
      meters().exhausted(to().name(), operation(), last);
    }
    end(RequestEnd.FAILED);
  }

  @Override
  public void refused(String code) {
    if (tried.isEmpty()) {
      meters().refused(to().name(), code);
      end(RequestEnd.REFUSED);
    } else {
      failed(NotRetried.REFUSED);
    }
  }

  @Override
  public void cancelled() {
    end(RequestEnd.CANCELLED);
  }

  private String operation() {
    return request.rule().map(OperationRule::name).orElse(Plan.UNLISTED);
  }

  private void end(RequestEnd end) {
    meters().request(to().name(), end);
  }

  private ProviderMeters meters() {
    return node.meters();
  }
}
