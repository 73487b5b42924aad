package io.weir.providers.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.node.upstream.AttemptOutcome;
import io.weir.node.upstream.AttemptOutcome.Health;
import io.weir.providers.queue.KeysHere;
import io.weir.providers.rule.JsonRpcRule;
import io.weir.providers.rule.KeySlot;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of answers that are read besides their status. */
final class AnswersOfProvidersTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32005,\"message\":\"limit\"}} | 0",
        "{\"error\":{\"code\":-32016}} | 0",
        "{\"error\":{\"code\":-32000,\"message\":\"Rate limit exceeded\"}} | 0",
        "{\"error\":{\"code\":10007}} | 0",
        "[{\"error\":{\"code\":-32005}},{\"error\":{\"code\":10007}}] | 0",
        "{\"error\":{\"code\":-32005,\"data\":{\"rate\":{\"backoff_seconds\":30}}}} | 30000",
        "[{\"error\":{\"code\":10007}},"
            + "{\"error\":{\"code\":-32005,\"data\":{\"rate\":{\"backoff_seconds\":30}}}}] | 30000",
        "{\"error\":{\"code\":-32005,\"data\":{\"rate\":{\"backoff_seconds\":1e99}}}} | 3600000",
        "{\"error\":{\"code\":-32005,\"data\":{\"rate\":{\"backoff_seconds\":-1}}}} | 0",
        "{\"error\":{\"code\":-32005,\"data\":7}} | 0"
      })
  void errorsThatMeanTooMany(String body, long waitMillis) {
    AttemptOutcome outcome =
        JsonRpcErrors.outcome(Buffer.buffer(body), JsonRpcRule.NONE).orElseThrow();
    assertThat(outcome.health()).isEqualTo(Health.NEUTRAL);
    assertThat(outcome.isUnsent()).isTrue();
    assertThat(outcome.mayBeSentAgain()).isTrue();
    assertThat(outcome.coolMillis()).isEqualTo(waitMillis);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "7",
        "{",
        "{}",
        "[]",
        "{\"result\":\"0x1\"}",
        "{\"error\":null}",
        "{\"error\":\"-32005\"}",
        "{\"error\":{\"code\":\"-32005\"}}",
        "{\"error\":{\"code\":-32601}}",
        "{\"error\":{\"code\":-32000,\"message\":\"execution reverted\"}}",
        "{\"error\":{\"code\":-32000,\"message\":\"execution reverted: limit\"}}",
        "{\"error\":{\"code\":-32000,\"message\":\"exceeds block gas limit\"}}",
        "{\"error\":{\"code\":-32000}}",
        "[{\"error\":{\"code\":-32005}},{\"result\":1}]",
        "[7]"
      })
  void anythingElseIsAnAnswer(String body) {
    assertThat(JsonRpcErrors.outcome(Buffer.buffer(body), rule(Set.of(-32_029), Set.of(-32_603))))
        .isEmpty();
  }

  @Test
  void aPolicyMayNameFurtherErrors() {
    Buffer reverted =
        Buffer.buffer("{\"error\":{\"code\":-32000,\"message\":\"execution reverted\"}}");
    assertThat(JsonRpcErrors.outcome(reverted, rule(Set.of(-32_000), Set.of()))).isPresent();
  }

  private static JsonRpcRule rule(Set<Integer> limits, Set<Integer> failures) {
    return new JsonRpcRule(true, limits, failures);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"code\":-32603}}",
        "[{\"error\":{\"code\":-32603}},{\"error\":{\"code\":-32005}}]"
      })
  void anErrorThatThePolicyCallsAFailureCountsAgainstTheProvider(String body) {
    AttemptOutcome outcome = JsonRpcErrors.outcome(
            Buffer.buffer(body), rule(Set.of(), Set.of(-32_603)))
        .orElseThrow();
    assertThat(outcome.health()).isEqualTo(Health.BAD);
    assertThat(outcome.mayBeSentAgain()).isTrue();
    assertThat(outcome.isUnsent()).isFalse();
    assertThat(JsonRpcErrors.outcome(
            Buffer.buffer("[{\"error\":{\"code\":-32603}},{\"result\":1}]"),
            rule(Set.of(), Set.of(-32_603))))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"401", "402", "403"})
  void aKeyThatIsRefusedIsNoFaultOfTheProvider(int status) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    AttemptOutcome refused = ProviderAnswers.outcome(status, headers, Instant.EPOCH, true);
    assertThat(refused.health()).isEqualTo(Health.REFUSED);
    assertThat(refused.isUnsent()).isTrue();
    assertThat(refused.mayBeSentAgain()).isTrue();
    assertThat(ProviderAnswers.outcome(status, headers, Instant.EPOCH, false).health())
        .as("without a key of ours, the caller is the cause")
        .isEqualTo(Health.GOOD);
    headers.set("Retry-After", "5");
    assertThat(ProviderAnswers.outcome(status, headers, Instant.EPOCH, true).coolMillis())
        .as("as of GitHub's secondary limits")
        .isEqualTo(5000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TEXT cpu_utilization=0.3,mem_utilization=0.8 | 300",
        "TEXT mem_utilization=0.8, application_utilization=0.45, cpu_utilization=0.3 | 450",
        "JSON {\"cpu_utilization\": 0.5, \"rps_fractional\": 10} | 500",
        "JSON {\"cpu_utilization\": 0.5, \"application_utilization\": 0.25} | 250",
        "JSON {\"cpu_utilization\": 1.7} | 1000",
        "cpu_utilization=0.1 | 100",
        "JSON {\"cpu_utilization\": \"0.5\"} | -1",
        "JSON {\"cpu_utilization\": -1} | -1",
        "JSON { | -1",
        "JSON [] | -1",
        "TEXT cpu_utilization=high | -1",
        "TEXT mem_utilization=0.8 | -1",
        "BIN CTMzMzMzM9M/IgNhYmMYlgE= | -1"
      })
  void howBusyAProviderSaysItIs(String report, int thousandths) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().set("Endpoint-Load-Metrics", report);
    assertThat(LoadReport.thousandths(headers)).isEqualTo(thousandths);
  }

  @Test
  void aSecretThatNoHeaderCarriesIsNotUsed() {
    KeySlot key = new KeySlot("k", "Authorization", "Bearer ", "SECRET");
    assertThat(new KeysHere(name -> "fine\n").value(key)).contains("Bearer fine");
    assertThat(new KeysHere(name -> "two\nlines").value(key)).isEmpty();
    assertThat(new KeysHere(name -> " ").value(key)).isEmpty();
    assertThat(new KeysHere(name -> null).value(key)).isEmpty();
  }
}
