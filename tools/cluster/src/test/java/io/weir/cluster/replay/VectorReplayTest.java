package io.weir.cluster.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.cluster.replay.VectorReplay.Result;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decisions recorded from the reference implementation, in memory. */
final class VectorReplayTest {
  private static final Path OWN = Path.of("src/test/resources/vectors");

  @Test
  void aSelectionOfTheRecordedDecisionsIsReplayed() throws IOException {
    assertThat(replay(OWN.resolve("design-doc-buckets.json"), OWN.resolve("design-doc.jsonl")))
        .isEqualTo(new Result(600, 0, List.of()));
  }

  @ParameterizedTest
  @CsvSource({
    "vectors/design-doc-buckets.json, vectors/design-doc.jsonl",
    "hedera/mainnet-throttles.json, vectors/mainnet-split1.jsonl"
  })
  void allRecordedDecisionsAreReplayed(String policy, String vectors) throws IOException {
    Path data = Path.of("../../../shared/data");
    assumeTrue(Files.exists(data), () -> "skipped: the recordings are not here: " + data);
    Result result = replay(data.resolve(policy), data.resolve(vectors));
    assertThat(result).isEqualTo(new Result(4000, 0, List.of()));
  }

  @Test
  void everyKindOfDifferenceIsFound(@TempDir Path folder) throws IOException {
    List<String> lines = Files.readAllLines(OWN.resolve("design-doc.jsonl"));
    Path changed = folder.resolve("changed.jsonl");
    Files.write(
        changed,
        List.of(
            lines.get(0).replaceFirst("390000000", "390000001"),
            lines.get(1).replace("\"allow\":true", "\"allow\":false"),
            lines.get(2).replaceFirst("99988600000000", "99988600001000"),
            lines.get(3)));
    Result result = replay(OWN.resolve("design-doc-buckets.json"), changed);
    assertThat(result.decisions()).isEqualTo(3);
    assertThat(result.differing()).isEqualTo(3);
    assertThat(result.shown()).hasSize(3).allMatch(text -> text.contains("expected"));
  }

  private static Result replay(Path policy, Path vectors) throws IOException {
    return VectorReplay.replay(
        PolicyDocuments.read(policy).policy(), vectors, InMemoryBucketStore::new);
  }
}
