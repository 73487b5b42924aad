package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.cluster.replay.VectorReplay;
import io.weir.cluster.replay.VectorReplay.Result;
import io.weir.state.connection.RedisConnections;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.RedisDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decisions recorded from the reference implementation, in Redis. */
final class RedisVectorReplayIT {
  @ParameterizedTest
  @CsvSource({
    "../../tools/cluster/src/test/resources/vectors/design-doc-buckets.json, ../../tools/cluster/src/test/resources/vectors/design-doc.jsonl, 600",
    "../../../shared/data/vectors/design-doc-buckets.json, ../../../shared/data/vectors/design-doc.jsonl, 4000",
    "../../../shared/data/hedera/mainnet-throttles.json, ../../../shared/data/vectors/mainnet-split1.jsonl, 4000"
  })
  void recordedDecisionsAreReplayed(Path policy, Path vectors, long decisions) throws IOException {
    assumeTrue(Files.exists(vectors), () -> "skipped: the recordings are not here: " + vectors);
    try (RedisDatabase redis = RedisDatabase.open();
        RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      Result result = VectorReplay.replay(
          PolicyDocuments.read(policy).policy(),
          vectors,
          clock -> RedisBucketStore.rehearsing(connections, clock));
      assertThat(result).isEqualTo(new Result(decisions, 0, List.of()));
    }
  }
}
