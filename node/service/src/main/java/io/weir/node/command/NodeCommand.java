package io.weir.node.command;

import io.weir.node.Node;
import io.weir.node.config.ConfigDefaults;
import io.weir.node.config.Descriptors;
import io.weir.node.config.NodeConfig;
import io.weir.node.config.NodeConfig.Listening;
import io.weir.node.config.NodeConfig.PolicyFile;
import io.weir.node.config.NodeConfig.Redis;
import io.weir.node.config.NodeConfig.Running;
import io.weir.node.log.BoundedLoggers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code weir node}: runs one node until it is stopped. */
@Command(
    name = "node",
    description = "Runs a node. Each option is also an environment variable (--redis-uri: "
        + "WEIR_REDIS_URI) and a line of the configuration file (redis-uri = …); a flag overrides "
        + "the environment, and that overrides the file.",
    sortOptions = false,
    versionProvider = WeirCommand.Version.class)
final class NodeCommand extends PrintingCommand {

  @SuppressWarnings("unused") // Defaults looks it up by its name, before the fields are set
  @Option(names = "--config", paramLabel = "FILE", description = "configuration file")
  private @Nullable Path config;

  @Mixin
  private ListeningOption listening = new ListeningOption();

  @Option(
      names = "--redis-uri",
      paramLabel = "URI",
      description = "Redis, with the state that all nodes share (redis://127.0.0.1:6379)")
  private String redisUri = "redis://127.0.0.1:6379";

  @Option(
      names = "--policy",
      paramLabel = "FILE",
      description = "policy, published where Redis has none (${DEFAULT-VALUE})")
  private Path policy = Path.of("policy.yaml");

  @Option(
      names = "--policy-watch",
      description =
          "the policy file is the source: it is published at the start and whenever it changes")
  private boolean watchesPolicy;

  @Option(
      names = "--policy-copy",
      paramLabel = "FILE",
      description = "keeps the policy in force, to start while Redis is away (nowhere)")
  private @Nullable Path policyCopy;

  @Option(
      names = "--service-token",
      paramLabel = "TOKEN",
      description =
          "what trusted services show to /v1/check, in clear or as sha256:<hex>; better not as a flag")
  private @Nullable String serviceToken;

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      description =
          "what operators show to /v1/policy, in clear or as sha256:<hex>; better not as a flag")
  private @Nullable String adminToken;

  @Option(
      names = "--redis-timeout-ms",
      paramLabel = "MS",
      description = "how long a decision may wait for Redis (${DEFAULT-VALUE})")
  private int redisTimeoutMillis = 75;

  @Option(
      names = "--redis-wait-ms",
      paramLabel = "MS",
      description =
          "how long a node that starts tries to reach Redis; 0 for one try (${DEFAULT-VALUE})")
  private int redisWaitMillis = 60_000;

  @Option(
      names = "--event-loops",
      paramLabel = "N",
      description =
          "threads that serve requests, each with a connection to Redis of its own; 0 for "
              + "one a core (${DEFAULT-VALUE})")
  private int eventLoops = 0;

  @Option(
      names = "--max-connections",
      paramLabel = "N",
      description = "connections of callers and services that are open at once; 0 for half of the "
          + "descriptors of the process, at most 50000 (${DEFAULT-VALUE})")
  private int maxConnections = 0;

  @Option(
      names = "--shutdown-delay-ms",
      paramLabel = "MS",
      description =
          "how long a node that stops still serves, and is not ready any more (${DEFAULT-VALUE})")
  private int shutdownDelayMillis = 2000;

  @Option(
      names = "--shutdown-timeout-ms",
      paramLabel = "MS",
      description = "how long requests in flight may take when the node stops (${DEFAULT-VALUE})")
  private int shutdownTimeoutMillis = 10_000;

  @Mixin
  private TlsOption tls = new TlsOption();

  @Mixin
  private ReportOption reports = new ReportOption();

  /** The command line of a node, with defaults from the environment and the configuration file. */
  static CommandLine commandLine(Map<String, String> environment) {
    CommandLine line = new CommandLine(new NodeCommand());
    line.setDefaultValueProvider(new Defaults(environment));
    return line;
  }

  @Override
  public Integer call() throws InterruptedException {
    BoundedLoggers.use(reports.logFormat());
    NodeConfig config = config();
    Node node = Node.start(config);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      node.close();
      stopped.countDown();
    }));
    // A script that starts nodes waits for this line.
    out().println(ready(config.listening()));
    out().flush();
    stopped.await();
    return 0;
  }

  static String ready(Listening listening) {
    String callers = (listening.tls().isPresent() ? "https://" : "http://") + listening.callers();
    return "weir node ready on %s, for operators on %s"
        .formatted(callers, listening.operators().map(own -> "http://" + own).orElse(callers));
  }

  NodeConfig config() {
    Optional<String> service = token("--service-token", serviceToken);
    return new NodeConfig(
        listening.listening(tls.tls(), service.isPresent()),
        new Redis(
            redisUri,
            millis("--redis-timeout-ms", redisTimeoutMillis, 1, 10_000),
            millis("--redis-wait-ms", redisWaitMillis, 0, 3_600_000)),
        new PolicyFile(
            policy,
            Optional.ofNullable(policyCopy).filter(file -> !file.toString().isBlank()),
            watchesPolicy),
        new NodeConfig.Tokens(service, token("--admin-token", adminToken)),
        new Running(
            eventLoops(),
            connections(),
            millis("--shutdown-delay-ms", shutdownDelayMillis, 0, 600_000),
            millis("--shutdown-timeout-ms", shutdownTimeoutMillis, 0, 600_000)),
        reports.reports());
  }

  private Duration millis(String option, int value, int min, int max) {
    return Duration.ofMillis(OptionValues.inRange(spec(), option, value, min, max));
  }

  private int eventLoops() {
    int loops = OptionValues.inRange(spec(), "--event-loops", eventLoops, 0, 1024);
    return loops == 0 ? Runtime.getRuntime().availableProcessors() : loops;
  }

  private int connections() {
    int given = OptionValues.inRange(spec(), "--max-connections", maxConnections, 0, 10_000_000);
    return given == 0 ? Descriptors.forConnections() : given;
  }

  private Optional<String> token(String option, @Nullable String token) {
    Optional<String> given = Optional.ofNullable(token).filter(text -> !text.isBlank());
    given.flatMap(text -> Tokens.problem(option, text)).ifPresent(problem -> {
      throw wrong(problem);
    });
    return given;
  }

  /** Supplies picocli with defaults for options that are not on the command line. */
  private static final class Defaults implements CommandLine.IDefaultValueProvider {
    private final Map<String, String> environment;
    private @Nullable ConfigDefaults defaults;

    Defaults(Map<String, String> environment) {
      this.environment = environment;
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
      if (!(argument instanceof OptionSpec option) || option.usageHelp() || option.versionHelp()) {
        return null;
      }
      if (defaults == null) {
        defaults = load(option.command());
      }
      return defaults.value(setting(option)).orElse(null);
    }

    private ConfigDefaults load(CommandSpec command) {
      Optional<String> file = Optional.ofNullable(command.findOption("--config"))
          .flatMap(option -> option.originalStringValues().stream().findFirst())
          .or(() -> Optional.ofNullable(environment.get("WEIR_CONFIG")));
      Set<String> known = command.options().stream()
          .map(Defaults::setting)
          .filter(name -> !Set.of("help", "version", "config").contains(name))
          .collect(Collectors.toSet());
      try {
        return file.map(path -> ConfigDefaults.of(environment, Path.of(path), known))
            .orElseGet(() -> ConfigDefaults.of(environment));
      } catch (IllegalArgumentException e) {
        throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
      }
    }

    private static String setting(OptionSpec option) {
      return option.longestName().substring(2);
    }
  }
}
