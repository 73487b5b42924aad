package io.weir.state.hold;

import io.weir.core.kind.Hold;
import io.weir.core.kind.Permits;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.Held.Permit;
import io.weir.state.wire.RandomId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The hold that a request takes when it is admitted, if any. Mutable: it remembers the hold that was made for the limit
 * that decided. Owned by one request.
 */
public final class HoldWish implements Function<Limited, Optional<Hold>> {
  private static final SettleRule BY_CALLER =
      new SettleRule(SettleRule.Source.CALLER, "", 60_000_000, true, 100);

  // The id is made for this request alone, so no content is compared.
  private static final String NOTHING_SAID = "-";

  private final Subject subject;
  private final Optional<SettleRule> settle;
  private final Optional<String> id;
  private final String asked;
  private final OptionalLong leaseMicros;
  private @Nullable Held held;
  private List<Permits> limits = List.of();

  private HoldWish(
      Subject subject,
      Optional<SettleRule> settle,
      Optional<String> id,
      String asked,
      OptionalLong lease) {
    this.subject = subject;
    this.settle = settle;
    this.id = id;
    this.asked = asked;
    this.leaseMicros = lease;
  }

  /** For a request that is settled by a rule, or not at all. */
  public static HoldWish of(Subject subject, Optional<SettleRule> settle) {
    return new HoldWish(subject, settle, Optional.empty(), NOTHING_SAID, OptionalLong.empty());
  }

  /**
   * For a service that settles by itself.
   *
   * @param id the service's own, or empty
   * @param asked see {@link Hold#asked}
   * @param leaseMicros the service's own, or empty
   */
  public static HoldWish reserving(
      Subject subject,
      Optional<SettleRule> settle,
      Optional<String> id,
      String asked,
      OptionalLong leaseMicros) {
    return new HoldWish(subject, Optional.of(settle.orElse(BY_CALLER)), id, asked, leaseMicros);
  }

  @Override
  public Optional<Hold> apply(Limited limited) {
    held = null;
    limits = List.of();
    if (settle.isEmpty() && !limited.needsHold()) {
      return Optional.empty();
    }
    limits = limited.others().stream()
        .filter(Permits.class::isInstance)
        .map(Permits.class::cast)
        .toList();
    List<Permit> permits =
        limits.stream().map(limit -> new Permit(limit.scope(), limit.name())).toList();
    boolean refunds = settle.map(rule -> rule.refunds().onExpiry()).orElse(false);
    long lease = leaseMicros.orElseGet(this::lease);
    Hold hold = id.map(named -> new Hold(named, asked, lease, settle.isPresent(), refunds))
        .orElseGet(() -> new Hold(RandomId.next(), lease, settle.isPresent(), refunds));
    held = new Held(
        subject.tenant(), subject.id(), hold.id(), hold.reserves(), hold.leaseMicros(), permits);
    return Optional.of(hold);
  }

  /** The hold that the request has if it was admitted. */
  public Optional<Held> held() {
    return Optional.ofNullable(held);
  }

  /** The limits of its permits. */
  public List<Permits> limits() {
    return limits;
  }

  // The shortest lease counts: the hold is renewed as a whole.
  private long lease() {
    long ofPermits = limits.stream().mapToLong(Permits::leaseMicros).min().orElse(Long.MAX_VALUE);
    return Math.min(ofPermits, settle.map(SettleRule::leaseMicros).orElse(Long.MAX_VALUE));
  }
}
