package io.weir.node.extension;

import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.node.admin.Stranding;
import io.weir.node.auth.Directory;
import io.weir.node.auth.Identifier;
import io.weir.state.connection.RedisConnections;
import java.util.Optional;

/** Keys and tenants outside of the policy, and the ways to identify callers. A node has at most one. */
public interface Keys extends Extension {
  @Override
  Open open(NodeBase node);

  /** The subject with this id, if the shared state has it: for commands, which look once. */
  Optional<Subject> subject(RedisConnections redis, Policy policy, String id);

  /** The keys of a running node. Safe for use by many threads. */
  interface Open extends OpenExtension {
    /** The subjects and operators that are defined outside of the policy. */
    Directory directory();

    /** Finds out who asks, instead of by API keys in headers alone. */
    Identifier identifier();

    /** Counts those subjects that a policy would leave without limits. */
    Stranding stranding();
  }
}
