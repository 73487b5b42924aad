package io.weir.cluster.command;

import io.weir.cluster.replay.VectorReplay;
import io.weir.cluster.replay.VectorReplay.Result;
import io.weir.core.policy.Policy;
import io.weir.embedded.EmbeddedRedis;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.node.command.CountWords;
import io.weir.node.command.PrintingCommand;
import io.weir.node.command.WeirCommand;
import io.weir.state.connection.RedisConnections;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.lane.RedisBucketStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir replay-vectors}: decides recorded requests again and compares. */
@Command(
    name = "replay-vectors",
    description =
        "Decides recorded requests again, prints decisions and differences, and fails on any "
            + "difference. A replay in Redis starts a Redis of its own.",
    versionProvider = WeirCommand.Version.class)
final class ReplayVectorsCommand extends PrintingCommand {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @Option(
      names = "--store",
      paramLabel = "memory|redis",
      defaultValue = "memory",
      description = "where the buckets are (${DEFAULT-VALUE})")
  private String store = "memory";

  @Parameters(
      index = "0",
      paramLabel = "POLICY",
      description = "policy, or a throttle file of Hedera's form")
  private Path policyFile = Path.of("");

  @Parameters(index = "1", paramLabel = "VECTORS", description = "recording, JSON lines")
  private Path vectors = Path.of("");

  @Override
  public Integer call() throws IOException {
    Policy policy = PolicyDocuments.read(policyFile).policy();
    Result result = switch (store) {
      case "memory" -> VectorReplay.replay(policy, vectors, InMemoryBucketStore::new);
      case "redis" -> inRedis(policy);
      default -> throw wrong("--store: %s (expected: memory or redis)".formatted(store));
    };
    PrintWriter out = out();
    result.shown().forEach(out::println);
    out.printf(
        "%s: %s, %s%n",
        store,
        CountWords.of(result.decisions(), "decision"),
        CountWords.of(result.differing(), "difference"));
    return result.differing() == 0 && result.decisions() > 0 ? 0 : 1;
  }

  private Result inRedis(Policy policy) throws IOException {
    try (EmbeddedRedis redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, 0);
        RedisConnections connections = RedisConnections.open(redis.uri(), PATIENCE)) {
      return VectorReplay.replay(
          policy, vectors, clock -> RedisBucketStore.rehearsing(connections, clock));
    }
  }
}
