package io.weir.state.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.wire.LuaLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A mistake in a script: a text of it that is replaced by another.
 *
 * @param file a command, or a module of {@code lua/lib}, without its ending
 * @param first the first history to try: no history before it finds the mistake
 */
record Mutant(String name, String file, long first, String text, String replacement) {
  private static final Pattern ENTRY =
      Pattern.compile("(.+)\n {2}(\\S+)(?: (\\d+))?\n- (.+)\n\\+ (.+)");

  /** All mutants of the table. */
  static List<Mutant> all() {
    return Stream.of(resource("mutants.txt").strip().split("\n\n"))
        .filter(entry -> !entry.startsWith("#"))
        .map(Mutant::parsed)
        .toList();
  }

  private static Mutant parsed(String entry) {
    Matcher parts = ENTRY.matcher(entry);
    assertThat(parts.matches()).describedAs(entry).isTrue();
    long first = Optional.ofNullable(parts.group(3)).map(Long::parseLong).orElse(1L);
    return new Mutant(parts.group(1), parts.group(2), first, parts.group(4), parts.group(5));
  }

  /** The text of a library with the mistake. */
  String in(LuaLibrary library) {
    String source = library.source();
    int begin = source.indexOf(isCommand() ? "'weir_" + file + "_'" : "['" + file + "'] = (func");
    int end = source.indexOf(isCommand() ? "\nend }\nend\n" : "\nend)()\n", begin);
    assertThat(begin).describedAs("%s: the place of %s", name, file).isPositive();
    String script = source.substring(begin, end);
    assertThat(script.split(Pattern.quote(text), -1))
        .describedAs("%s: '%s' occurs once in %s", name, text, file)
        .hasSize(2);
    return source.substring(0, begin) + script.replace(text, replacement) + source.substring(end);
  }

  boolean isOfLeases() {
    return file.equals("lease");
  }

  boolean isOfAssignments() {
    return file.equals("assign") || file.equals("state/assigned_of");
  }

  /** Whether it is in what only some charges need: overflow, prices, partial grants, holds. */
  boolean isOfMixed() {
    return List.of(
            "queue/payers",
            "kinds/partial",
            "kinds/room",
            "kinds/congestion",
            "kinds/mixed",
            "kinds/mixed_take")
        .contains(file);
  }

  /** Whether it is in what only charges that are decided as one need, or refunds without a reservation. */
  boolean isOfJoint() {
    return file.equals("kinds/joined") || file.equals("refund");
  }

  private boolean isCommand() {
    return List.of("settle", "lease", "assign", "refund").contains(file);
  }

  private static String resource(String name) {
    try (InputStream in = Mutant.class.getResourceAsStream(name)) {
      return new String(requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return file + ": " + name;
  }
}
