package io.weir.node.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import io.weir.testkit.Histories;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of clients: commands, however they are cut, and what is none. */
final class RespReaderTest {
  private static final long SEED = Histories.firstSeed();
  private static final int HISTORIES = Histories.count(2000, 1_000_000);

  @Test
  void commandsOfBothForms() {
    assertThat(read("*2\r\n$4\r\nPING\r\n$0\r\n\r\nPING  a b \r\n\r\n*0\r\n*1\r\n$2\r\n\r\n\r\n"))
        .containsExactly(List.of("PING", ""), List.of("PING", "a", "b"), List.of("\r\n"));
  }

  @Test
  void nothingUntilTheLastByte() {
    String bytes = "*2\r\n$4\r\nPING\r\n$2\r\nab\r\n";
    RespReader reader = new RespReader();
    for (int i = 0; i < bytes.length() - 1; i++) {
      reader.add(Buffer.buffer(bytes.substring(i, i + 1)));
      assertThat(reader.next()).isNull();
    }
    reader.add(Buffer.buffer("\n"));
    assertThat(reader.next()).containsExactly("PING", "ab");
    assertThat(reader.next()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*33\r\n",
        "*x\r\n",
        "*1\r\nPING\r\n",
        "*1\r\n$4097\r\n",
        "*1\r\n$-1\r\n",
        "*1\r\n$99999999999999\r\n",
        "*1\r\n$4\r\nPINGxx",
        "*99999999999\r\n"
      })
  void whatIsNoCommand(String bytes) {
    assertThatThrownBy(() -> read(bytes))
        .isInstanceOfSatisfying(
            RespException.class, refusal -> assertThat(refusal.isLast()).isTrue());
  }

  @Test
  void aLineWithoutAnEndIsRefused() {
    assertThatThrownBy(() -> read("x".repeat(RespReader.MAX_LENGTH + 1)))
        .isInstanceOf(RespException.class);
    assertThatThrownBy(() -> read("x ".repeat(RespReader.MAX_WORDS + 1) + "\n"))
        .isInstanceOf(RespException.class);
  }

  @Test
  void commandsAreTheSameHoweverTheyAreCut() {
    Random random = new Random(SEED);
    for (int i = 0; i < HISTORIES / 10; i++) {
      List<List<String>> commands = new ArrayList<>();
      StringBuilder bytes = new StringBuilder();
      for (int c = random.nextInt(1, 6); c > 0; c--) {
        List<String> words = new ArrayList<>();
        for (int w = random.nextInt(1, 6); w > 0; w--) {
          words.add(bytes(random, random.nextInt(20)));
        }
        commands.add(words);
        bytes.append('*').append(words.size()).append("\r\n");
        words.forEach(word ->
            bytes.append('$').append(word.length()).append("\r\n").append(word).append("\r\n"));
      }
      assertThat(cut(bytes.toString(), random)).as("seed %d, %d", SEED, i).isEqualTo(commands);
    }
  }

  @Test
  void anyBytesAreCommandsOrARefusal() {
    Random random = new Random(SEED);
    String alphabet = "*$\r\n\r\n0123-PING \u00ff\0";
    for (int i = 0; i < HISTORIES; i++) {
      StringBuilder bytes = new StringBuilder();
      for (int b = random.nextInt(60); b > 0; b--) {
        bytes.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      try {
        assertThat(cut(bytes.toString(), random)).allMatch(words -> !words.isEmpty());
      } catch (RespException e) {
        assertThat(e.error()).startsWith("ERR Protocol error: ");
      }
    }
  }

  private static String bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return new String(bytes, ISO_8859_1);
  }

  private static List<List<String>> read(String bytes) {
    return cut(bytes, new Random(0), bytes.length());
  }

  private static List<List<String>> cut(String bytes, Random random) {
    return cut(bytes, random, 10);
  }

  private static List<List<String>> cut(String bytes, Random random, int most) {
    RespReader reader = new RespReader();
    List<List<String>> commands = new ArrayList<>();
    int at = 0;
    while (at < bytes.length()) {
      int end =
          Math.min(bytes.length(), at + (most == bytes.length() ? most : random.nextInt(1, most)));
      reader.add(Buffer.buffer(bytes.substring(at, end).getBytes(ISO_8859_1)));
      at = end;
      for (List<String> words = reader.next(); words != null; words = reader.next()) {
        commands.add(words);
      }
    }
    return commands;
  }
}
