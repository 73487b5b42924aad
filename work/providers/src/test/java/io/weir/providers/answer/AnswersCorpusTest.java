package io.weir.providers.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.client.answer.AnswerStatus;
import io.weir.core.policy.Refunds;
import io.weir.core.policy.SettleRule;
import io.weir.core.throttle.Ending;
import io.weir.node.hold.Execution;
import io.weir.node.upstream.AttemptOutcome;
import io.weir.node.usage.Usage;
import io.weir.providers.rule.JsonRpcRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers of providers as files, each with the right reading beside it. The README there has the form. */
final class AnswersCorpusTest {
  private static final Path CORPUS = Path.of("src/test/resources/io/weir/providers/answers");
  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
  private static final JsonRpcRule JSON_RPC = new JsonRpcRule(true, Set.of(), Set.of(-32_603));
  private static final SettleRule SETTLE =
      new SettleRule(SettleRule.Source.OPENAI, "", 1_000_000, true, 100);

  static Stream<String> names() throws IOException {
    try (Stream<Path> files = Files.list(CORPUS)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".http"))
          .map(name -> name.substring(0, name.length() - ".http".length()))
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void isReadAsTheFileBesideItSays(String name) throws IOException {
    Answer answer = Answer.parse(Files.readString(CORPUS.resolve(name + ".http")));
    assertThat(answer.reading()).isEqualTo(Files.readString(CORPUS.resolve(name + ".answer")));
  }

  @Test
  void thereAreManyForms() throws IOException {
    assertThat(names()).hasSizeGreaterThanOrEqualTo(30);
  }

  private record Answer(int status, MultiMap headers, Buffer body) {
    static Answer parse(String text) {
      int end = text.indexOf("\n\n");
      List<String> lines = text.substring(0, end).lines().toList();
      MultiMap headers = MultiMap.caseInsensitiveMultiMap();
      for (String line : lines.subList(1, lines.size())) {
        String[] header = line.split(": ", 2);
        headers.add(header[0], header[1]);
      }
      int status = Integer.parseInt(lines.get(0).split(" ", -1)[1]);
      return new Answer(status, headers, Buffer.buffer(text.substring(end + 2)));
    }

    String reading() {
      AttemptOutcome outcome =
          ProviderAnswers.outcome(status, headers, Optional.of(body), JSON_RPC, true, NOW);
      String waits =
          outcome.coolMillis() == 0 ? "none" : outcome.coolsServer() ? "provider" : "key";
      return """
          health: %s
          attempts: %s
          waitMs: %d
          waits: %s
          charged: %s
          """.formatted(
              outcome.health().name().toLowerCase(Locale.ROOT),
              outcome.mayBeSentAgain() ? "again" : "final",
              outcome.coolMillis(),
              waits,
              charged(outcome));
    }

    private String charged(AttemptOutcome outcome) {
      Usage usage = new Usage(SETTLE);
      usage.head(headers);
      usage.chunk(body);
      usage.end(MultiMap.caseInsensitiveMultiMap());
      boolean mayHaveRun = !outcome.isUnsent() && !AnswerStatus.isNotExecuted(status);
      Ending ending = new Execution(mayHaveRun, status, status >= 400)
          .ending(new Refunds(true, false, Set.of()), usage.cost());
      if (ending instanceof Ending.Settled settled) {
        return settled.cost() == Ending.AS_RESERVED ? "estimate" : Long.toString(settled.cost());
      }
      return "nothing";
    }
  }
}
