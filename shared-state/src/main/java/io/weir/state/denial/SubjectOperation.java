package io.weir.state.denial;

import io.weir.core.bucket.Demand;
import io.weir.core.kind.KindDemand;
import io.weir.core.throttle.Charge;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One operation of one subject, by one revision of the policy: knowledge of one does not apply to another. The lists
 * are those of the policy, compared by identity. Immutable.
 */
final class SubjectOperation {
  private final String tenant;
  private final String subject;
  private final List<Demand> demands;
  private final List<KindDemand> others;

  private SubjectOperation(Charge charge) {
    this.tenant = charge.tenant();
    this.subject = charge.subject();
    this.demands = charge.demands();
    this.others = charge.extras().demands();
  }

  static SubjectOperation of(Charge charge) {
    return new SubjectOperation(charge);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // one list for all charges of an operation by a plan
  public boolean equals(@Nullable Object other) {
    return other instanceof SubjectOperation that
        && demands == that.demands
        && others == that.others
        && subject.equals(that.subject)
        && tenant.equals(that.tenant);
  }

  @Override
  public int hashCode() {
    int lists = 31 * System.identityHashCode(demands) + System.identityHashCode(others);
    return 31 * (31 * subject.hashCode() + tenant.hashCode()) + lists;
  }
}
