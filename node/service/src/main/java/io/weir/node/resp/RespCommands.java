package io.weir.node.resp;

import io.vertx.core.Context;
import io.weir.core.throttle.PolicySource;
import io.weir.node.admission.WaitingDecider;
import io.weir.node.auth.Identities;
import java.util.Map;
import java.util.Optional;

/** The commands that ask for decisions. For one event loop. */
public final class RespCommands {
  private final Map<String, RespCommand> byName;

  /** @param context of the event loop */
  public RespCommands(
      Context context, PolicySource policies, Identities identities, WaitingDecider decider) {
    this(Map.of(
        CheckCommand.NAME,
        new CheckCommand(policies, identities, decider),
        ThrottleCommand.NAME,
        new ThrottleCommand(context, policies, identities, decider.decider())));
  }

  RespCommands(Map<String, RespCommand> byName) {
    this.byName = Map.copyOf(byName);
  }

  /** @param name in capitals */
  Optional<RespCommand> named(String name) {
    return Optional.ofNullable(byName.get(name));
  }
}
