package io.weir.node.command;

import io.weir.state.redis.RedisConnections;
import io.weir.state.redis.StateInspector;
import io.weir.state.redis.wire.RedisKeys;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir inspect KEY}: what a state in Redis says, in words; or an upstream, or a window. */
@Command(
    name = "inspect",
    description =
        "Shows the state of an API key, a tenant or the cluster as it is in Redis: how much of each bucket is "
            + "used, when it is empty, how many wait. Or an upstream of providers: when each key may be used "
            + "next, what is left alone. Or a window of ranges. Reads only.",
    sortOptions = false,
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class)
final class InspectCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Supplier<Optional<String>> localRedis;

  @Spec
  private CommandSpec spec = CommandSpec.create();

  @ArgGroup(multiplicity = "1")
  private What what = new What();

  /** One of them is said. */
  static final class What {
    @Parameters(
        paramLabel = "KEY",
        description = "TENANT/ID for an API key, TENANT/ for a tenant, or a key of Redis")
    private @Nullable String key;

    @Option(names = "--upstream", paramLabel = "NAME", description = "an upstream of providers")
    private @Nullable String upstream;

    @Option(names = "--window", paramLabel = "NAME", description = "a window of ranges")
    private @Nullable String window;
  }

  @Mixin
  private RedisOption redis = new RedisOption();

  InspectCommand(Supplier<Optional<String>> localRedis) {
    this.localRedis = localRedis;
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    try (RedisConnections connections = RedisConnections.open(redis.uri(localRedis), TIMEOUT)) {
      Map<String, String> shown = shown(new StateInspector(connections), out);
      int width = shown.keySet().stream().mapToInt(String::length).max().orElse(1);
      shown.forEach((name, value) -> out.printf("%-" + width + "s  %s%n", name, value));
      out.flush();
    }
    return 0;
  }

  private Map<String, String> shown(StateInspector inspector, PrintWriter out) {
    if (what.upstream != null) {
      Map<String, String> shown = inspector.showUpstream(what.upstream);
      if (shown.isEmpty()) {
        out.printf("Nothing was sent to providers of %s lately.%n", what.upstream);
      }
      return shown;
    }
    if (what.window != null) {
      Map<String, String> shown = inspector.showWindow(what.window);
      if (shown.isEmpty()) {
        out.printf("No range of %s was opened lately.%n", what.window);
      }
      return shown;
    }
    String state = state(Objects.requireNonNull(what.key));
    Map<String, String> shown = inspector.show(state);
    if (shown.isEmpty()) {
      out.printf("There is no %s: all of its buckets are empty.%n", state);
    }
    return shown;
  }

  private static String state(String key) {
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
