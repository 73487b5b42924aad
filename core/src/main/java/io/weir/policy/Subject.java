package io.weir.policy;

import java.util.Optional;

/**
 * Who is limited.
 *
 * @param id the id of the API key, never its secret
 * @param tenant whose key it is
 * @param plan its limits
 * @param secretHash what its secret is checked against; without one nobody can show this key, and only
 *     services that vouch for their callers can ask for it
 */
public record Subject(String id, String tenant, Plan plan, Optional<SecretHash> secretHash) {}
