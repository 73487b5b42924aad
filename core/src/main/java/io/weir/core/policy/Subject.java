package io.weir.core.policy;

import java.util.Optional;

/**
 * The id, the tenant and the plan of a limited caller.
 *
 * @param id the id of the API key, never its secret
 * @param tenant the tenant that owns the key
 * @param plan the limits of the subject
 * @param secretHash the hash that its secret is checked against; if empty, no caller can authenticate with this key,
 *     and only services that vouch for their callers can ask for it
 */
public record Subject(String id, String tenant, Plan plan, Optional<SecretHash> secretHash) {}
