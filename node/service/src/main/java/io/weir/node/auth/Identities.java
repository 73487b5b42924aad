package io.weir.node.auth;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.Authenticator;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.PolicySource;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.Optional;

/**
 * Finds out who asks: by the policy, which counts first, and by a directory of keys outside of it. Mutable: the
 * directory is set before the node serves. Safe for use by many threads.
 */
public final class Identities {
  private static final ProblemDetails KEY_MISSING = ProblemDetails.of(
      401, "key_missing", "No API key: send Authorization: Bearer <key>, or X-Api-Key");
  private static final ProblemDetails KEY_INVALID =
      ProblemDetails.of(401, "key_invalid", "The API key is not known");
  private static final ProblemDetails SUBJECT_UNKNOWN = ProblemDetails.of(
      404, "subject_unknown", "There is no such subject, or its key may not be used");

  private final PolicySource policies;
  private volatile Directory directory = Directory.EMPTY;
  private volatile Identifier identifier = new ByKey();

  public Identities(PolicySource policies) {
    this.policies = policies;
  }

  /** Sets the directory. */
  public void use(Directory of) {
    directory = of;
  }

  /** Sets where the identity of requests comes from, instead of API keys alone. */
  public void use(Identifier of) {
    identifier = of;
  }

  /** The subject of a request, see {@link Identifier#identify}. */
  public Future<Subject> authenticate(
      HttpServerRequest request, Optional<OperationRule> operation) {
    Sessions.removeFrom(request.headers());
    return identifier.identify(request, operation);
  }

  /** The target of a request, see {@link Identifier#target}. */
  public String target(HttpServerRequest request) {
    return identifier.target(request);
  }

  /** Removes headers that identify callers, see {@link Identifier#removeFrom}, and the sessions of operators. */
  public void removeFrom(MultiMap headers) {
    Sessions.removeFrom(headers);
    identifier.removeFrom(headers);
  }

  /** Whether a subject may ask for an operation, see {@link Identifier#isAccepted}. */
  public boolean isAccepted(Subject subject, Optional<OperationRule> operation) {
    return identifier.isAccepted(subject, operation);
  }

  /** The address of the caller, see {@link Identifier#address}. */
  public Optional<String> address(HttpServerRequest request) {
    return identifier.address(request);
  }

  /** By API keys alone. */
  private final class ByKey implements Identifier {
    @Override
    public Future<Subject> identify(HttpServerRequest request, Optional<OperationRule> operation) {
      Optional<String> shown = KeyHeaders.shownIn(request.headers());
      if (shown.isEmpty()) {
        throw missing();
      }
      KeyHeaders.removeFrom(request.headers());
      return ofKey(shown.get(), Addresses.peer(request))
          .map(subject -> subject.orElseThrow(Identities::invalid));
    }
  }

  /** The policy in force. */
  public Policy policy() {
    return policies.current().policy();
  }

  /** The same subject by the policy that is in force now; throws {@link RefusedException} if it is gone. */
  public Subject again(Subject subject) {
    return subject.in(policy()).orElseThrow(Identities::invalid);
  }

  /** The refusal of a request without any identity. */
  public static RefusedException missing() {
    return new RefusedException(KEY_MISSING);
  }

  /** The refusal of an unknown key. */
  public static RefusedException invalid() {
    return new RefusedException(KEY_INVALID);
  }

  /** The refusal of a service that names an unknown subject. */
  public static ProblemDetails subjectUnknown() {
    return SUBJECT_UNKNOWN;
  }

  /** The subject of a key, see {@link Directory#ofKey}. */
  public Future<Optional<Subject>> ofKey(String shown, Optional<String> address) {
    Optional<Subject> listed = Authenticator.authenticate(shown, policy());
    // A wrong secret of an id that the policy lists is looked for, too: the time must not reveal
    // it.
    return listed.isPresent() ? Future.succeededFuture(listed) : directory.ofKey(shown, address);
  }

  /** The subject with this name, for callers that vouch for theirs. */
  public Future<Optional<Subject>> named(String name) {
    Optional<Subject> listed = policy().listed(name);
    return listed.isPresent()
        ? Future.succeededFuture(listed)
        : directory.named(name, () -> policy().covered(name));
  }

  /** The operator who shows a token that is stored, and not the node's own. */
  public Optional<Operator> operator(String token) {
    return directory.operator(token);
  }
}
