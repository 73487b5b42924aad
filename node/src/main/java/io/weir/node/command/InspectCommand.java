package io.weir.node.command;

import io.weir.state.redis.RedisConnections;
import io.weir.state.redis.StateInspector;
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

/** {@code weir inspect KEY}: describes a state in Redis in words; or an upstream, or a window. */
@Command(
    name = "inspect",
    description =
        "Shows the state of an API key, a tenant or the cluster as it is in Redis: how much of each bucket, "
            + "quota and permits is used, when it is empty, how many wait. Or an upstream of providers: when each key may be used "
            + "next, what is left alone. Or a window of ranges. Reads only.",
    sortOptions = false,
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class)
final class InspectCommand implements Callable<Integer> {
  private static final int FAILED = 1;
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Supplier<Optional<String>> localRedis;

  @Spec
  private CommandSpec spec = CommandSpec.create();

  @ArgGroup(multiplicity = "1")
  private What what = new What();

  /** Exactly one of these arguments is given. */
  static final class What {
    @Parameters(
        paramLabel = "KEY",
        description =
            "TENANT/ID or ID for an API key, TENANT/ for a tenant, cluster, or a key of Redis")
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
      StateInspector inspector = new StateInspector(connections);
      PolicyInForce policy = PolicyInForce.of(inspector);
      if (what.upstream != null) {
        return shown(
            inspector.showUpstream(what.upstream),
            policy.hasUpstream(what.upstream),
            "Nothing was sent to providers of %s lately.".formatted(what.upstream),
            "there is no upstream " + what.upstream + policy.revisionText());
      }
      if (what.window != null) {
        return shown(
            inspector.showWindow(what.window),
            policy.hasWindow(what.window),
            "No range of %s was opened lately.".formatted(what.window),
            "there is no window " + what.window + policy.revisionText());
      }
      return of(new OwnerView(inspector, policy), Objects.requireNonNull(what.key));
    } finally {
      out.flush();
    }
  }

  private int shown(Map<String, String> fields, boolean isKnown, String nothing, String unknown) {
    if (fields.isEmpty() && !isKnown) {
      spec.commandLine().getErr().println(unknown);
      return FAILED;
    }
    PrintWriter out = spec.commandLine().getOut();
    if (fields.isEmpty()) {
      out.println(nothing);
    }
    Rows.print(fields, out);
    return 0;
  }

  private int of(OwnerView view, String key) {
    Optional<String> problem = view.print(key, spec.commandLine().getOut());
    problem.ifPresent(spec.commandLine().getErr()::println);
    return problem.isPresent() ? FAILED : 0;
  }
}
