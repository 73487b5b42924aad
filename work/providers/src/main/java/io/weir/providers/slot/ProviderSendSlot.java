package io.weir.providers.slot;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.Upstream;
import io.weir.node.upstream.AttemptOutcome;
import io.weir.node.upstream.RequestHeaders;
import io.weir.node.upstream.SendSlot;
import io.weir.providers.answer.ProviderAnswers;
import io.weir.providers.queue.BookedSlot;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Sending;
import io.weir.providers.slot.ProviderSendSlots.Parts;
import java.time.Clock;
import java.util.Optional;

/** The turn of a request at a provider, with one of our keys. Mutable; owned by the request's event loop. */
final class ProviderSendSlot implements SendSlot {
  private final Parts node;
  private final UsableProviders usable;
  private final Provider provider;
  private final TriedKeys tried;
  private final boolean isFree;
  private BookedSlot entered;
  private int status;

  /** @param isFree whether it is a probe that costs the request no attempt */
  ProviderSendSlot(
      Parts node,
      UsableProviders usable,
      Provider provider,
      BookedSlot entered,
      TriedKeys tried,
      boolean isFree) {
    this.node = node;
    this.usable = usable;
    this.provider = provider;
    this.entered = entered;
    this.tried = tried;
    this.isFree = isFree;
  }

  @Override
  public Upstream server() {
    return usable.upstream().at(provider);
  }

  @Override
  public String place() {
    return entered.place();
  }

  @Override
  public MultiMap headers(RequestHeaders headers) {
    return usable.headers(node.keys(), headers, provider, entered);
  }

  @Override
  public boolean isFree() {
    return isFree;
  }

  @Override
  public boolean readsBody(int status) {
    return ProviderAnswers.readsBody(status, sending().jsonRpc());
  }

  @Override
  public AttemptOutcome judge(int status, MultiMap headers, Optional<Buffer> body) {
    node.lessons().answered(entered);
    this.status = status;
    AttemptOutcome outcome = ProviderAnswers.outcome(
        status,
        headers,
        body,
        sending().jsonRpc(),
        !provider.keys().isEmpty(),
        Clock.systemUTC().instant());
    if (node.lessons().endsProbe(entered, outcome)) {
      entered = entered.afterProbe();
    }
    return outcome;
  }

  private Sending sending() {
    return usable.upstream().sending();
  }

  // If the provider has been silent for long, it counts as hanging.
  @Override
  public AttemptOutcome hungUp(long sentNanos) {
    return node.lessons().isSilent(entered, sentNanos)
        ? AttemptOutcome.broken()
        : AttemptOutcome.unknown();
  }

  @Override
  public AttemptOutcome overtaken(long sentNanos) {
    return node.lessons().overtaken(entered, sentNanos);
  }

  @Override
  public void end(AttemptOutcome outcome, long tookNanos) {
    tried.end(entered, outcome, status, tookNanos);
  }
}
