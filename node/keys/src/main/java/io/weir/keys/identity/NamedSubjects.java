package io.weir.keys.identity;

import io.vertx.core.Future;
import io.weir.core.bucket.Names;
import io.weir.core.policy.Access;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectEntry;
import io.weir.keys.directory.KnownKeys;
import io.weir.keys.directory.Subjects;
import io.weir.keys.identity.SubjectOwners.Owner;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Identities;
import io.weir.node.auth.Operator;
import java.util.List;
import java.util.Optional;

/** Finds the subjects of the names that sources other than keys give. Safe for use by many threads. */
record NamedSubjects(KnownKeys known, RecentSubjects recent) {
  private static final int SERVER_ERROR = 500;

  private static final ProblemDetails SUBJECT_UNKNOWN = ProblemDetails.of(
      401, "subject_unknown", "The policy has no tenant and no rule for this caller");
  private static final ProblemDetails PLAN_UNKNOWN =
      ProblemDetails.of(403, "plan_unknown", "The policy has not the plan of this caller");

  /** The subject by a policy; fails with, or throws, {@link RefusedException} if there is none. */
  Future<Subject> find(Named named, Policy policy) {
    if (named.tenant().isEmpty()) {
      return recorded(
              named,
              new External.Ruled(named.from(), named.name())
                  .in(policy)
                  .orElseThrow(() -> new RefusedException(SUBJECT_UNKNOWN)))
          .compose(found -> found.source() instanceof External.Ruled
              ? ofTenant(named, policy)
              : Future.succeededFuture(found));
    }
    return assembled(named, policy).compose(found -> {
      if (!Names.isId(named.name())) {
        long nowMillis = known.nowMillis(found.tenant());
        recent.add(named.name(), new Owner(found.tenant(), named.plan(), nowMillis));
      }
      return recorded(named, found);
    });
  }

  // Like a key, it is not known while its tenant may not be used.
  private Future<Subject> ofTenant(Named named, Policy policy) {
    return known
        .ofRule(named.name(), policy)
        .map(found -> found.orElseThrow(Identities::invalid))
        .map(found -> new External.Ruled(named.from(), named.name(), found.source()).as(found));
  }

  /** The subject with a name, and without its record, as its last requests have stated its tenant. */
  Future<Optional<Subject>> recent(String name, Operator operator, Policy policy) {
    return recent
        .find(name, operator)
        .compose(owner -> owner.isEmpty()
            ? Future.succeededFuture(Optional.empty())
            : recent(name, owner.get(), policy));
  }

  // One whose requests would be refused now is none.
  private Future<Optional<Subject>> recent(String name, Owner owner, Policy policy) {
    Named named = new Named(Source.JWT, name, Optional.of(owner.tenant()), owner.plan());
    return Future.succeededFuture()
        .compose(begun -> assembled(named, policy))
        .map(Optional::of)
        .recover(error ->
            error instanceof RefusedException refused && refused.problem().status() < SERVER_ERROR
                ? Future.succeededFuture(Optional.empty())
                : Future.failedFuture(error));
  }

  private Future<Subject> assembled(Named named, Policy policy) {
    String tenant = named.tenant().orElseThrow();
    if (named.plan().filter(plan -> !policy.plans().containsKey(plan)).isPresent()) {
      throw new RefusedException(PLAN_UNKNOWN);
    }
    return known.tenant(tenant).map(record -> {
      SubjectEntry entry = new SubjectEntry(
          named.name(),
          tenant,
          named.plan(),
          Access.LIMITED,
          List.of(),
          Subjects.tenant(record, known.nowMillis(tenant)));
      return new External.Assembled(named.from(), entry)
          .in(policy)
          .orElseThrow(() -> new RefusedException(PLAN_UNKNOWN));
    });
  }

  // The record of a name that no key can have comes first. An id may be that of another's key.
  private Future<Subject> recorded(Named named, Subject found) {
    if (Names.isId(named.name())) {
      return Future.succeededFuture(found);
    }
    return known
        .named(named.name(), named.tenant(), () -> Optional.of(found))
        .map(stored -> stored.orElseThrow(() -> new RefusedException(SUBJECT_UNKNOWN)))
        .map(stored -> stored.source() instanceof External
            ? stored
            : new External.Recorded(named.from(), stored.source()).as(stored));
  }
}
