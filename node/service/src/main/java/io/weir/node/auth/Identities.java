package io.weir.node.auth;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.bucket.Names;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.Optional;

/**
 * Finds out who asks: by the policy, which comes first, and by a directory of keys outside of it. Safe for use by many
 * threads.
 */
public final class Identities {
  private static final ProblemDetails KEY_MISSING = ProblemDetails.of(
      401, "key_missing", "No API key: send Authorization: Bearer <key>, or X-Api-Key");
  private static final ProblemDetails KEY_INVALID =
      ProblemDetails.of(401, "key_invalid", "The API key is not known");
  private static final ProblemDetails SUBJECT_UNKNOWN = ProblemDetails.of(
      404, "subject_unknown", "There is no such subject, or its key may not be used");

  private final KeyLookup keys;
  private final Identifier identifier;

  /** @param identifier finds the identity of requests */
  public Identities(KeyLookup keys, Identifier identifier) {
    this.keys = keys;
    this.identifier = identifier;
  }

  /** The subject of a request, see {@link Identifier#identify}. */
  public Future<Subject> authenticate(
      HttpServerRequest request, Optional<OperationRule> operation) {
    SessionCookie.removeFrom(request.headers());
    return identifier.identify(request, operation);
  }

  /** The target of a request, see {@link Identifier#target}. */
  public String target(HttpServerRequest request) {
    return identifier.target(request);
  }

  /** Removes headers that identify callers, see {@link Identifier#removeFrom}, and the sessions of operators. */
  public void removeFrom(MultiMap headers) {
    SessionCookie.removeFrom(headers);
    identifier.removeFrom(headers);
  }

  /** Whether a subject may ask for an operation, see {@link Identifier#isAccepted}. */
  public boolean isAccepted(Subject subject, Optional<OperationRule> operation) {
    return identifier.isAccepted(subject, operation);
  }

  /** Whether a listed proxy sent the request itself, see {@link Identifier#isProxy}. */
  public boolean isProxy(HttpServerRequest request) {
    return identifier.isProxy(request);
  }

  /** The address of the caller, see {@link Identifier#address}. */
  public Optional<String> address(HttpServerRequest request) {
    return identifier.address(request);
  }

  /** The policy in force. */
  public Policy policy() {
    return keys.policy();
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
    return keys.ofKey(shown, address);
  }

  /** The subject with this name, for callers that vouch for theirs. */
  public Future<Optional<Subject>> named(String name) {
    Optional<Subject> listed = policy().listed(name);
    return listed.isPresent()
        ? Future.succeededFuture(listed)
        : keys.directory().named(name, () -> policy().covered(name));
  }

  /** The same for operators: also a subject of which only its own requests state the tenant. */
  public Future<Optional<Subject>> namedByOperator(String name, Operator operator) {
    return named(name)
        .compose(found -> found.isPresent() || Names.isId(name)
            ? Future.succeededFuture(found)
            : unrecorded(name, operator)
                .compose(subject -> keys.directory().named(name, () -> subject)));
  }

  /**
   * The subject that a name has without a record: by a rule of the policy, or, if no key can have the name, as its own
   * requests state it, see {@link Identifier#recent}.
   */
  public Future<Optional<Subject>> unrecorded(String name, Operator operator) {
    if (policy().ruleOf(name).isPresent()) {
      return keys.directory().ofRule(name, policy());
    }
    return Names.isId(name)
        ? Future.succeededFuture(Optional.empty())
        : identifier.recent(name, operator);
  }

  /** The operator who shows a token that is stored, and not the node's own. */
  public Optional<Operator> operator(String token) {
    return keys.directory().operator(token);
  }
}
