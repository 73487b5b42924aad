package io.weir.keys.identity;

import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectEntry;
import io.weir.core.policy.SubjectSource;
import java.util.Optional;

/** A subject that a source other than a key has named. */
sealed interface External extends SubjectSource {
  Source from();

  /**
   * A subject that a rule of the policy covers.
   *
   * @param rule finds it with the settings of its tenant
   */
  record Ruled(Source from, String name, SubjectSource rule) implements External {
    Ruled(Source from, String name) {
      this(from, name, new SubjectSource.OfPolicy(name));
    }

    @Override
    public Optional<Subject> in(Policy policy) {
      return policy.listed(name).isPresent()
          ? Optional.empty()
          : rule.in(policy).map(this::as);
    }

    Subject as(Subject subject) {
      return new Subject(name, subject.tenant(), subject.plan(), Optional.empty(), this);
    }
  }

  /** A subject with a record. */
  record Recorded(Source from, SubjectSource stored) implements External {
    @Override
    public Optional<Subject> in(Policy policy) {
      return stored.in(policy).map(this::as);
    }

    Subject as(Subject subject) {
      return new Subject(subject.id(), subject.tenant(), subject.plan(), Optional.empty(), this);
    }
  }

  /** A subject with a tenant. */
  record Assembled(Source from, SubjectEntry entry) implements External {
    @Override
    public Optional<Subject> in(Policy policy) {
      return policy
          .compile(entry)
          .plan()
          .map(plan -> new Subject(entry.id(), entry.tenant(), plan, Optional.empty(), this));
    }
  }
}
