package io.weir.node.envoy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.node.envoy.rule.Entry;
import io.weir.node.envoy.rule.EnvoyDomain;
import io.weir.node.envoy.rule.EnvoyDomains;
import io.weir.node.envoy.rule.EnvoyRule;
import io.weir.node.envoy.rule.ImportedFiles;
import io.weir.node.envoy.rule.RuleOption;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The configurations and scripts of envoyproxy/ratelimit as a table, {@code conformance.txt}: what is expected there, and
 * where this service differs.
 */
final class ConformanceTest {
  private static final String HERE = " here ";
  private static final int CASES = 20 + 8 + 2;

  /**
   * A case of the table.
   *
   * @param files by name
   * @param rows what is expected, in order
   */
  private record Case(String name, Map<String, String> files, List<String> rows) {}

  @TestFactory
  Stream<DynamicTest> eachCaseIsAsThereOrAsTheTableSays() throws IOException {
    Map<String, Case> cases = cases();
    assertThat(cases).hasSize(CASES);
    return cases.values().stream()
        .map(each -> DynamicTest.dynamicTest(each.name(), () -> run(each)));
  }

  private static Map<String, Case> cases() throws IOException {
    Map<String, Case> cases = new LinkedHashMap<>();
    Case current = new Case("none", Map.of(), List.of());
    String file = "";
    for (String line : lines()) {
      if (line.startsWith("== ")) {
        current = new Case(line.substring(3), new LinkedHashMap<>(), new ArrayList<>());
        assertThat(cases.put(current.name(), current)).as(line).isNull();
      } else if (line.startsWith("file ")) {
        file = line.substring("file ".length());
        current.files().put(file, "");
      } else if (line.startsWith("  ")) {
        current.files().merge(file, line.substring(2) + "\n", String::concat);
      } else if (line.startsWith("with ")) {
        current
            .files()
            .putAll(requireNonNull(cases.get(line.substring("with ".length()))).files());
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        current.rows().add(line);
      }
    }
    return cases;
  }

  private static List<String> lines() throws IOException {
    try (InputStream table =
        requireNonNull(ConformanceTest.class.getResourceAsStream("conformance.txt"))) {
      return new String(table.readAllBytes(), UTF_8).lines().toList();
    }
  }

  private static void run(Case given) {
    ImportedFiles imported = new ImportedFiles();
    List<String> errors = new ArrayList<>();
    given.files().forEach((name, text) -> {
      try {
        imported.add(name, PolicyDocuments.document(name, text));
      } catch (InvalidPolicyException e) {
        errors.add(String.valueOf(e.getMessage()));
      }
    });
    errors.addAll(imported.errors());
    if (given.rows().get(0).startsWith("refused ")) {
      String text = given.rows().get(0).substring("refused ".length());
      assertThat(errors)
          .anyMatch(
              error -> error.toLowerCase(Locale.ROOT).contains(text.toLowerCase(Locale.ROOT)));
      assertThat(given.rows()).hasSize(1);
      return;
    }
    assertThat(errors).isEmpty();
    String policy = "buckets: []\n" + imported.section();
    EnvoyDomain domain = EnvoyDomains.of(PolicyDocuments.parse("policy", policy).policy())
        .find("shop")
        .orElseThrow();
    try (ManualRateLimits limits = new ManualRateLimits(policy)) {
      for (String row : given.rows()) {
        run(row, imported, domain, limits);
      }
    }
  }

  private static void run(
      String row, ImportedFiles imported, EnvoyDomain domain, ManualRateLimits limits) {
    String word = row.substring(0, row.indexOf(' '));
    String[] sides = row.substring(word.length() + 1).split(" -> ", -1);
    switch (word) {
      case "noted" -> assertThat(imported.notes()).anyMatch(note -> note.contains(": " + sides[0]));
      case "limit" -> assertThat(limit(domain, sides[0])).as(row).isEqualTo(sides[1]);
      case "same" ->
        assertThat(Arrays.stream(sides[0].split("; ", -1))
                .map(descriptor -> subject(domain, descriptor))
                .distinct()
                .count())
            .as(row)
            .isEqualTo(sides[1].equals("yes") ? 1 : 2);
      case "wait" -> limits.advanceMicros(Long.parseLong(sides[0]) * 1_000_000);
      case "ask" ->
        assertThat(limits.ask(message(sides[0])).isOver() ? "OVER" : "OK")
            .as(row)
            .isEqualTo(expected(sides[1]));
      default -> throw new AssertionError(row);
    }
  }

  // A difference is one.
  private static String expected(String codes) {
    int at = codes.indexOf(HERE);
    if (at < 0) {
      return codes;
    }
    String here = codes.substring(at + HERE.length());
    assertThat(here).isNotEqualTo(codes.substring(0, at));
    return here;
  }

  private static Buffer message(String descriptors) {
    MessageWriter message = new MessageWriter().add(1, "shop");
    for (String text : descriptors.split("; ", -1)) {
      int hits = text.indexOf('*');
      MessageWriter descriptor = new MessageWriter();
      for (Entry entry : entries(hits < 0 ? text : text.substring(0, hits))) {
        descriptor.add(1, new MessageWriter().add(1, entry.key()).add(2, entry.value()));
      }
      if (hits >= 0) {
        descriptor.add(3, new MessageWriter().add(1, Long.parseLong(text.substring(hits + 1))));
      }
      message.add(2, descriptor);
    }
    return message.bytes();
  }

  private static String limit(EnvoyDomain domain, String descriptor) {
    Optional<EnvoyRule> rule = domain.rule(entries(descriptor));
    return rule.map(found -> found
                .counting()
                .limit()
                .map(limit -> limit.requests() + " " + limit.unit().name().toLowerCase(Locale.ROOT))
                .orElse("unlimited")
            + (found.has(RuleOption.AUDIT) ? " audit" : ""))
        .orElse("none");
  }

  private static String subject(EnvoyDomain domain, String descriptor) {
    List<Entry> entries = entries(descriptor);
    return domain
        .subject(domain.rule(entries).orElseThrow(), entries, Optional.empty())
        .id();
  }

  private static List<Entry> entries(String descriptor) {
    return Arrays.stream(descriptor.split(",", -1))
        .map(entry -> {
          int at = entry.indexOf('=');
          return new Entry(entry.substring(0, at), entry.substring(at + 1));
        })
        .toList();
  }
}
