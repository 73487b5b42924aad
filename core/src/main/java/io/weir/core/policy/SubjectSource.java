package io.weir.core.policy;

import java.util.Optional;

/** The place where a subject is defined, such as the policy or a record of the shared state. */
@FunctionalInterface
public interface SubjectSource {
  /** The subject by this policy; empty if it has ceased to exist, or if its plan is not in the policy. */
  Optional<Subject> in(Policy policy);

  /** A subject that the policy lists, or that one of its rules covers. */
  record OfPolicy(String id) implements SubjectSource {
    @Override
    public Optional<Subject> in(Policy policy) {
      return policy.subject(id);
    }
  }
}
