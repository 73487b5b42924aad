package io.weir.core.policy.read;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Parts;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicyReading;
import io.weir.core.policy.PolicySection.Parent;
import io.weir.core.policy.Upstream;
import io.weir.core.policy.read.SubjectsReader.Subjects;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Problems;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Reads a policy strictly: it refuses unknown fields and reports all problems at once. {@code docs/reference/policy.md}
 * describes the document and lists the codes of its problems.
 */
public final class PolicyReader {
  private static final int MAX_DESCRIPTION = 1000;
  private static final Field<String> DESCRIPTION = Field.parsed(
      "description",
      text -> Optional.of(text).filter(one -> one.length() <= MAX_DESCRIPTION),
      "[\\s\\S]{0,1000}",
      "up to 1000 characters",
      "for people");
  private static final Field<URI> URL = BaseUrl.field("where the server is; without a path");
  private static final Field<Section> UPSTREAM = Field.section(
      "upstream",
      Table.of("upstream", URL).with(UpstreamFields.ALL),
      "the server to which the gateway forwards");

  private static final Table POLICY = Table.of("policy", DESCRIPTION, BucketsReader.BUCKETS)
      .with(KindsReader.FIELDS)
      .with(List.of(
          OperationsReader.OPERATIONS,
          PlansReader.PLANS,
          SubjectsReader.TENANTS,
          SubjectsReader.SUBJECTS))
      .with(PolicySettings.FIELDS)
      .with(List.of(UPSTREAM))
      .with(Extensions.all().fields(Parent.POLICY));

  private PolicyReader() {}

  /**
   * Reads and compiles a document.
   *
   * @param source the document's name, for the locations of problems
   * @throws InvalidPolicyException with every problem, if there is at least one error
   */
  public static PolicyReading read(String source, DocumentValue document) {
    Problems problems = new Problems(source);
    Policy policy = policy(Section.root(document, problems, POLICY));
    if (problems.hasErrors()) {
      throw new InvalidPolicyException(problems.all());
    }
    return new PolicyReading(policy, problems.all());
  }

  /** The fields of the document. */
  static Table table() {
    return POLICY;
  }

  private static Policy policy(Section root) {
    root.find(DESCRIPTION);
    PolicyDraft draft = PolicyDraft.read(root);
    Optional<Upstream> upstream = root.find(UPSTREAM).flatMap(PolicyReader::upstream);
    Parts parts = Extensions.all().read(Parent.POLICY, root);
    root.refuseUnknown();
    PolicyChecks.report(draft);
    Policy policy = policy(draft, upstream, parts);
    Extensions.all().check(root, policy);
    return policy;
  }

  private static Policy policy(PolicyDraft draft, Optional<Upstream> upstream, Parts parts) {
    Subjects subjects = draft.subjects();
    return new Policy(
        draft.drawnBuckets().stream().map(bucket -> bucket.shape().bucket()).toList(),
        subjects.compiler().withoutOverrides(),
        subjects.compiler().defaultPlan(),
        new Policy.Routing(
            draft.rules(),
            draft.rules().stream().collect(Collectors.toMap(OperationRule::name, rule -> rule)),
            upstream),
        new Policy.Callers(subjects.byId(), subjects.rules(), subjects.compiler()),
        parts);
  }

  private static Optional<Upstream> upstream(Section section) {
    int connectMillis = section.count(UpstreamFields.CONNECT_TIMEOUT);
    int timeoutMillis = section.count(UpstreamFields.TIMEOUT);
    long maxBodyBytes = section.get(UpstreamFields.MAX_BODY_BYTES);
    boolean honoursKeys = section.get(UpstreamFields.HONOURS_KEYS);
    return section
        .find(URL)
        .map(url -> new Upstream(url, connectMillis, timeoutMillis, maxBodyBytes, honoursKeys));
  }
}
