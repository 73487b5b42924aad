package io.weir.node.command;

import io.weir.node.extension.Capabilities;
import io.weir.node.extension.Inspection;
import io.weir.state.connection.RedisConnections;
import io.weir.state.inspect.StateInspector;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

/** {@code weir inspect KEY}: describes a state in Redis in words; or a thing of an extension, such as an upstream. */
@Command(
    name = "inspect",
    description =
        "Shows the state of an API key, a tenant or the cluster as it is in Redis: how much of each bucket, "
            + "quota and permits is used, when it is empty, how many wait. Or an upstream of providers: when each key may be used "
            + "next, and which ones are left alone. Or a window of ranges. Reads only.",
    sortOptions = false,
    versionProvider = WeirCommand.Version.class)
final class InspectCommand extends PrintingCommand {
  private static final int FAILED = 1;
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Supplier<Optional<String>> localRedis;
  private final Capabilities capabilities;
  private final Map<Inspection, String> named = new HashMap<>();
  private String key = "";

  @Option(names = "--raw", description = "prints the fields as they are in Redis")
  private boolean isRaw;

  @Mixin
  private RedisOption redis = new RedisOption();

  private InspectCommand(Supplier<Optional<String>> localRedis, Capabilities capabilities) {
    this.localRedis = localRedis;
    this.capabilities = capabilities;
  }

  /** @param capabilities whose states it shows, too */
  static CommandLine commandLine(Supplier<Optional<String>> localRedis, Capabilities capabilities) {
    InspectCommand command = new InspectCommand(localRedis, capabilities);
    CommandLine line = new CommandLine(command);
    line.getCommandSpec().addArgGroup(command.what());
    return line;
  }

  // Exactly one of these arguments is given.
  private ArgGroupSpec what() {
    ArgGroupSpec.Builder what = ArgGroupSpec.builder()
        .multiplicity("1")
        .addArg(PositionalParamSpec.builder()
            .paramLabel("KEY")
            .type(String.class)
            .description(
                "TENANT/ID or ID for an API key, TENANT/ for a tenant, cluster, or a key of Redis")
            .setter(setter(text -> key = text))
            .build());
    for (Inspection inspection : capabilities.inspections()) {
      what.addArg(OptionSpec.builder("--" + inspection.option())
          .paramLabel("NAME")
          .type(String.class)
          .description(inspection.description())
          .setter(setter(text -> named.put(inspection, text)))
          .build());
    }
    return what.build();
  }

  private static ISetter setter(Consumer<String> field) {
    return new ISetter() {
      @Override
      public <T> T set(T value) {
        if (value instanceof String text) {
          field.accept(text);
        }
        return value;
      }
    };
  }

  @Override
  public Integer call() {
    PrintWriter out = out();
    try (RedisConnections connections = RedisConnections.open(redis.uri(localRedis), TIMEOUT)) {
      StateInspector inspector = new StateInspector(connections);
      PolicyInForce policy = PolicyInForce.of(
          inspector, (inForce, id) -> capabilities.subject(connections, inForce, id));
      for (Map.Entry<Inspection, String> one : named.entrySet()) {
        return shown(one.getKey(), one.getValue(), inspector, policy);
      }
      return of(
          new OwnerView(inspector, policy, isRaw ? Optional.empty() : Optional.of(now())), key);
    } finally {
      out.flush();
    }
  }

  private int shown(
      Inspection inspection, String name, StateInspector inspector, PolicyInForce policy) {
    Map<String, String> fields = inspection.show().apply(inspector, name);
    PrintWriter out = out();
    if (fields.isEmpty() && !policy.has(inspection.names(), name)) {
      String unknown = inspection.sentences().unknown().formatted(name);
      err().println(unknown + policy.revisionText());
      return FAILED;
    }
    if (fields.isEmpty()) {
      out.println(Wrapped.lines(inspection.sentences().nothing().formatted(name)));
    }
    Rows.print(isRaw ? fields : inspection.words().apply(fields, now()), out);
    return 0;
  }

  private static Instant now() {
    return Clock.systemUTC().instant();
  }

  private int of(OwnerView view, String key) {
    Optional<String> problem = view.print(key, out());
    problem.ifPresent(err()::println);
    return problem.isPresent() ? FAILED : 0;
  }
}
