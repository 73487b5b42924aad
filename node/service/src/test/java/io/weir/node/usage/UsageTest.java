package io.weir.node.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.Refunds;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.SettleRule.Source;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The actual cost of a request, for every form of answer, and wherever its pieces are cut. */
final class UsageTest {
  private static final String OPENAI_STREAM = """
      data: {"choices":[{"delta":{"content":"Hi"}}],"usage":null}

      data: {"choices":[{"delta":{"content":"\\"usage\\": 7"}}]}

      data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":31,"total_tokens":42}}

      data: [DONE]

      """;
  private static final String ANTHROPIC_STREAM = """
      event: message_start
      data: {"type":"message_start","message":{"usage":{"input_tokens":25,"cache_read_input_tokens":5,"output_tokens":1}}}

      event: content_block_delta
      data: {"type":"content_block_delta","delta":{"text":"Hello"}}

      event: message_delta
      data: {"type":"message_delta","usage":{"output_tokens":15}}

      event: message_stop
      data: {"type":"message_stop"}

      """;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 64, 10_000})
  void theLastEventOfAStreamSaysIt(int piece) {
    assertThat(cost(Source.OPENAI, "", "text/event-stream", OPENAI_STREAM, piece))
        .hasValue(42);
    assertThat(cost(
            Source.OPENAI, "", "text/event-stream", OPENAI_STREAM.replace("\n", "\r\n"), piece))
        .hasValue(42);
    assertThat(
            cost(Source.ANTHROPIC, "", "text/event-stream; charset=utf-8", ANTHROPIC_STREAM, piece))
        .hasValue(45);
    assertThat(cost(Source.JSON, "/usage/total_tokens", "text/event-stream", OPENAI_STREAM, piece))
        .hasValue(42);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 64})
  void aDocumentSaysItWhereverItStands(int piece) {
    String openAi =
        "{\"choices\":[{\"usage\":{\"total_tokens\":9}},[1,{}]],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}";
    assertThat(cost(Source.OPENAI, "", "application/json", openAi, piece)).hasValue(7);
    String anthropic = "{\"content\":[],\"usage\":{\"input_tokens\":10,\"output_tokens\":2}}";
    assertThat(cost(Source.ANTHROPIC, "", "application/json", anthropic, piece)).hasValue(12);
    String nested = "{\"a\":[{\"b\":1},{\"b\":[5,6]}],\"x/y\":{\"~\":8}}";
    assertThat(cost(Source.JSON, "/a/1/b/1", "application/json", nested, piece)).hasValue(6);
    assertThat(cost(Source.JSON, "/a/0/b", "application/json", nested, piece)).hasValue(1);
    assertThat(cost(Source.JSON, "/x~1y/~0", "application/json", nested, piece)).hasValue(8);
  }

  @Test
  void headersAndTrailersSayIt() {
    Usage header = new Usage(rule(Source.HEADER, "X-Cost"));
    header.head(headers("X-Cost", "17"));
    assertThat(header.cost()).hasValue(17);
    assertThat(header.needsTheEnd()).isFalse();
    Usage trailer = new Usage(rule(Source.TRAILER, "X-Cost"));
    trailer.head(headers("Content-Type", "text/plain"));
    trailer.end(headers("X-Cost", "18"));
    assertThat(trailer.cost()).hasValue(18);
    assertThat(trailer.needsTheEnd()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no json",
        "{\"usage\":",
        "{\"usage\":{\"total_tokens\":-1}}",
        "{\"usage\":{\"total_tokens\":1e99}}",
        "{\"usage\":{\"total_tokens\":99999999999999999999}}",
        "{\"usage\":{\"total_tokens\":\"42\"}}",
        "[42]",
        "42"
      })
  void anAnswerWithoutACostCostsTheCharge(String body) {
    assertThat(cost(Source.OPENAI, "", "application/json", body, 5)).isEmpty();
  }

  @Test
  void aCompressedAnswerIsNotRead() {
    Usage usage = new Usage(rule(Source.OPENAI, ""));
    usage.head(headers("Content-Type", "application/json").add("Content-Encoding", "gzip"));
    usage.chunk(Buffer.buffer("{\"usage\":{\"total_tokens\":42}}"));
    assertThat(usage.cost()).isEmpty();
  }

  @Test
  void anEventThatIsTooLongIsLeftOutAndTheNextOneIsRead() {
    String stream = "data: {\"usage\":\"" + "x".repeat(70_000) + "\"}\n\n" + OPENAI_STREAM;
    assertThat(cost(Source.OPENAI, "", "text/event-stream", stream, 1000)).hasValue(42);
    String nested = "{\"a\":".repeat(500);
    assertThat(cost(Source.OPENAI, "", "application/json", nested, 1000)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"21000, 21", "21001, 22", "0, 0", "1, 1"})
  void theCostInAnAnswerIsDividedAndRoundedUp(String gas, long operations) {
    Usage usage = new Usage(new SettleRule(
        Source.HEADER, "Gas-Used", 1_000_000, new Refunds(true, false, Set.of()), 100, 1000));
    usage.head(headers("Gas-Used", gas));
    usage.end(MultiMap.caseInsensitiveMultiMap());
    assertThat(usage.cost()).hasValue(operations);
  }

  private static OptionalLong cost(
      Source source, String name, String type, String body, int piece) {
    Usage usage = new Usage(rule(source, name));
    usage.head(headers("Content-Type", type));
    byte[] bytes = Buffer.buffer(body).getBytes();
    for (int i = 0; i < bytes.length; i += piece) {
      usage.chunk(Buffer.buffer(bytes).getBuffer(i, Math.min(bytes.length, i + piece)));
    }
    usage.end(MultiMap.caseInsensitiveMultiMap());
    return usage.cost();
  }

  private static SettleRule rule(Source source, String name) {
    return new SettleRule(source, name, 1_000_000, true, 100);
  }

  private static MultiMap headers(String name, String value) {
    return MultiMap.caseInsensitiveMultiMap().add(name, value);
  }
}
