package io.weir.core.policy;

import java.util.Optional;

/**
 * The id, the tenant and the plan of a limited caller.
 *
 * @param id the id of the API key, never its secret; or a name that a rule of the policy covers
 * @param tenant the tenant that owns the key
 * @param plan the limits of the subject
 * @param secretHash the hash that its secret is checked against, if the policy has it; if empty, no caller can
 *     authenticate by the policy, and only services that vouch for their callers can ask for it
 * @param source finds the subject again in a later policy
 */
public record Subject(
    String id, String tenant, Plan plan, Optional<SecretHash> secretHash, SubjectSource source) {

  /** A subject of the policy. */
  public Subject(String id, String tenant, Plan plan, Optional<SecretHash> secretHash) {
    this(id, tenant, plan, secretHash, new SubjectSource.OfPolicy(id));
  }

  /** The subject by another policy; empty if it has ceased to exist. */
  public Optional<Subject> in(Policy policy) {
    return source.in(policy);
  }
}
