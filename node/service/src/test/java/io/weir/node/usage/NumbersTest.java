package io.weir.node.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.pointer.JsonPointer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers in documents, among any data of an upstream or of the callers that it echoes. */
final class NumbersTest {
  private static final String POINTER = "/usage/total_tokens";
  private static final String USAGE = "\"usage\":{\"total_tokens\":42}";

  /** Documents with a long path or many names: an echo of a hostile caller's names. */
  static Set<String> hostile() {
    String name = "\"" + "n".repeat(1000) + "\":";
    String nested = ("{" + name).repeat(100) + "[" + "1,".repeat(20_000) + "1]" + "}".repeat(100);
    String manyNames = IntStream.range(0, 50_000)
        .mapToObj(i -> "\"name-%d\":%d".formatted(i, i))
        .collect(Collectors.joining(","));
    return Set.of(
        "{\"echo\":" + nested + "," + USAGE + "}",
        "{" + manyNames + "," + USAGE + "}",
        "{\"usage\":{" + manyNames + "}," + USAGE + "}");
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void theWorkIsLinearInTheBytesWhateverTheNamesAre(String document) {
    byte[] bytes = document.getBytes(StandardCharsets.UTF_8);
    Numbers numbers = new Numbers(Set.of(POINTER));
    long before = allocated();
    numbers.feed(bytes);
    assertThat(allocated() - before).isLessThan(12L * bytes.length + 100_000);
    assertThat(numbers.at(POINTER)).hasValue(42);
  }

  @Test
  void namesThatNoPointerAsksForTakeNoMemory() {
    byte[] bytes = "{\"a\":{%s}}"
        .formatted(IntStream.range(0, 50_000)
            .mapToObj(i -> "\"name-%d\":%d".formatted(i, i))
            .collect(Collectors.joining(",")))
        .getBytes(StandardCharsets.UTF_8);
    Numbers numbers = new Numbers(Set.of(POINTER));
    long before = allocated();
    numbers.feed(bytes);
    assertThat(allocated() - before).isLessThan(100_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":7}|/a|7",
        "{\"\\u0061\":7}|/a|7",
        "{\"\\\"\\\\\":7}|/\"\\|7",
        "{\"a\":0}|/a|0",
        "{\"a\":9007199254740991}|/a|9007199254740991",
        "{\"a\":9007199254740992}|/a|",
        "{\"a\":123456789012345678901234567890}|/a|",
        "{\"a\":-1}|/a|",
        "{\"a\":1.0}|/a|",
        "{\"a\":1e3}|/a|",
        "{\"a\":\"7\"}|/a|",
        "{\"a\":{\"a\":7}}|/a|",
        "{\"b\":{\"a\":7}}|/a|",
        "{\"b\":[7],\"a\":[[],{},8]}|/a/2|8",
        "[5,6]|/1|6",
        "[5,6]|/01|",
        "{\"0\":5}|/0|5",
        "{\"a\":1,\"a\":2}|/a|2",
        "{\"a\":1}{\"a\":2}|/a|2",
        "'7 '|''|7",
        "{\"a\":1,}|/a|1",
        "{\"b\":[}],\"a\":1}|/a|",
        "{\"b\":[1 2],\"a\":1}|/a|",
        "{\"b\" 1,\"a\":1}|/a|",
        "{1:2,\"a\":1}|/a|",
        "],{\"a\":1}|/a|",
      })
  void aNumberIsFoundWhereItsPointerLeads(String document, String pointer, Long expected) {
    for (int piece : new int[] {1, 2, 1000}) {
      Numbers numbers = new Numbers(Set.of(pointer));
      feed(numbers, document, piece);
      assertThat(numbers.at(pointer))
          .describedAs("%s in pieces of %d", document, piece)
          .isEqualTo(expected == null ? OptionalLong.empty() : OptionalLong.of(expected));
    }
  }

  @Test
  void aDocumentThatIsTooDeepEndsTheReading() {
    Numbers numbers = new Numbers(Set.of("/a", "/b"));
    feed(
        numbers, "{\"a\":1,\"x\":" + "[".repeat(100_000) + "]".repeat(100_000) + ",\"b\":2}", 5000);
    assertThat(numbers.at("/a")).hasValue(1);
    assertThat(numbers.at("/b")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void aRandomDocumentGivesWhatATreeGives(long seed) {
    Random random = new Random(seed);
    JsonObject document = new JsonObject().put("d", value(random, 6));
    for (String pointer : Set.of("/d", "/d/a", "/d/0", "/d/1/a", "/d/a/a", "/d/a/b/0", "/d/~0~1")) {
      Object there = JsonPointer.from(pointer).queryJson(document);
      Numbers numbers = new Numbers(Set.of(pointer));
      feed(
          numbers,
          random.nextBoolean() ? document.encode() : document.encodePrettily(),
          1 + random.nextInt(20));
      assertThat(numbers.at(pointer))
          .describedAs("seed %d: %s in %s", seed, pointer, document.encode())
          .isEqualTo(
              there instanceof Integer whole ? OptionalLong.of(whole) : OptionalLong.empty());
    }
  }

  private static Object value(Random random, int depth) {
    int kind = random.nextInt(depth > 0 ? 8 : 4);
    if (kind > 5) {
      JsonArray items = new JsonArray();
      IntStream.range(0, random.nextInt(4)).forEach(i -> items.add(value(random, depth - 1)));
      return items;
    }
    if (kind > 3) {
      JsonObject members = new JsonObject();
      for (String name : new String[] {"a", "b", "~/", "\"]}\\", "ü"}) {
        if (random.nextInt(3) > 0) {
          members.put(name, value(random, depth - 1));
        }
      }
      return members;
    }
    return switch (kind) {
      case 0 -> "text \"{[ü\n\\ 1";
      case 1 -> random.nextBoolean();
      default -> random.nextInt(1_000_000);
    };
  }

  private static void feed(Numbers numbers, String document, int piece) {
    byte[] bytes = document.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i += piece) {
      numbers.feed(Arrays.copyOfRange(bytes, i, Math.min(bytes.length, i + piece)));
    }
  }

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }
}
