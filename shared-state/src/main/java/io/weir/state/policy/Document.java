package io.weir.state.policy;

import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.PolicyRevision;
import io.weir.state.document.PolicyDocuments;

/** A policy with its text. */
record Document(PolicyRevision policy, PolicyText text) {
  static Document of(NextPolicy.ReadPolicy next, long revision) {
    return new Document(
        new PolicyRevision(revision, next.policy()), next.text().withRevision(revision));
  }

  static Document parse(PolicyText text) {
    PolicyReading reading = PolicyDocuments.parse(text.name(), text.text());
    return new Document(new PolicyRevision(text.revision(), reading.policy()), text);
  }
}
