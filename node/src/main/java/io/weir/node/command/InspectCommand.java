package io.weir.node.command;

import io.weir.state.redis.RedisConnections;
import io.weir.state.redis.StateInspector;
import io.weir.state.redis.wire.RedisKeys;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir inspect KEY}: what a state in Redis says, in words. */
@Command(
    name = "inspect",
    description =
        "Shows the state of an API key, a tenant or the cluster as it is in Redis: how much of each bucket is "
            + "used, when it is empty, how many wait. Reads only.",
    sortOptions = false,
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class)
final class InspectCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Supplier<Optional<String>> localRedis;

  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "KEY",
      description = "TENANT/ID for an API key, TENANT/ for a tenant, or a key of Redis")
  private String key = "";

  @Mixin
  private RedisOption redis = new RedisOption();

  InspectCommand(Supplier<Optional<String>> localRedis) {
    this.localRedis = localRedis;
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    try (RedisConnections connections = RedisConnections.open(redis.uri(localRedis), TIMEOUT)) {
      String state = state();
      Map<String, String> shown = new StateInspector(connections).show(state);
      if (shown.isEmpty()) {
        out.printf("There is no %s: all of its buckets are empty.%n", state);
      }
      int width = shown.keySet().stream().mapToInt(String::length).max().orElse(1);
      shown.forEach((name, value) -> out.printf("%-" + width + "s  %s%n", name, value));
      out.flush();
    }
    return 0;
  }

  private String state() {
    int slash = key.indexOf('/');
    if (key.startsWith("weir:") || slash < 0) {
      return key;
    }
    String tenant = key.substring(0, slash);
    return slash == key.length() - 1
        ? RedisKeys.tenant(tenant)
        : RedisKeys.key(tenant, key.substring(slash + 1));
  }
}
