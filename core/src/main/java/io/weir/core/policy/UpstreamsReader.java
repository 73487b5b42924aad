package io.weir.core.policy;

import io.weir.core.bucket.Names;
import io.weir.core.upstream.AdaptiveRule;
import io.weir.core.upstream.Bounds;
import io.weir.core.upstream.BreakerRule;
import io.weir.core.upstream.KeySlot;
import io.weir.core.upstream.Provider;
import io.weir.core.upstream.Providers;
import io.weir.core.upstream.RetryRule;
import io.weir.core.upstream.Sending;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the upstreams made of providers. */
final class UpstreamsReader {
  static final int MAX_ATTEMPTS = 20;

  private static final int MAX_UPSTREAMS = 50;
  private static final int MAX_PROVIDERS = 50;
  private static final int MAX_KEYS = 100;
  private static final int MAX_SLOTS = 200;
  private static final int MAX_ERROR_CODES = 20;
  private static final Pattern ERROR_CODE = Pattern.compile("-?[0-9]{1,9}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");
  private static final Pattern PREFIX = Pattern.compile("[\\x20-\\x7e]{0,32}");
  private static final Map<String, Boolean> SELECTIONS = selections();
  private static final String URL = "http:// or https://, a host and maybe a port, without a path";

  Map<String, Providers> read(Section root) {
    Map<String, Section> named =
        root.namedSections("upstreams", text -> text.matches(Names.ID_PATTERN), Names.ID_PATTERN);
    if (named.size() > MAX_UPSTREAMS) {
      root.error(
          "too_many_upstreams",
          "upstreams",
          "%d (expected: at most %d)".formatted(named.size(), MAX_UPSTREAMS));
    }
    Map<String, Providers> upstreams = new LinkedHashMap<>();
    named.forEach(
        (name, section) -> upstream(name, section).ifPresent(read -> upstreams.put(name, read)));
    return upstreams;
  }

  private Optional<Providers> upstream(String name, Section section) {
    List<Provider> providers = providers(section);
    Sending sending = sending(section);
    Providers read = new Providers(
        name,
        providers,
        section.choice("selection", SELECTIONS).orElse(true),
        bounds(section),
        sending,
        section
            .section("retry")
            .map(retry -> RepeatReader.retry(retry, sending.timeoutMillis()))
            .orElse(RetryRule.DEFAULT),
        section.section("breaker").map(UpstreamsReader::breaker).orElse(BreakerRule.DEFAULT),
        section.section("health").map(RepeatReader::health));
    section.refuseUnknown();
    if (providers.isEmpty()) {
      section.error(
          "providers_missing", "providers", "none that is enabled (expected: at least 1)");
      return Optional.empty();
    }
    if (read.slots() > MAX_SLOTS) {
      section.error(
          "too_many_keys",
          "providers",
          "%d key slots in all (expected: at most %d)".formatted(read.slots(), MAX_SLOTS));
    }
    lint(section, read);
    return Optional.of(read);
  }

  private static Bounds bounds(Section section) {
    return new Bounds(
        (int) section.wholeNumber("maxInflight", 1, 100_000).orElse(100),
        section.section("adaptive").map(UpstreamsReader::adaptive),
        (int) section.wholeNumber("maxQueue", 0, 10_000).orElse(200),
        millis(section, "queueTimeout", 1, 60_000, 10_000),
        millis(section, "lease", 1000, 300_000, 15_000) * 1000);
  }

  private static AdaptiveRule adaptive(Section section) {
    AdaptiveRule read = new AdaptiveRule(
        millis(section, "target", 1, 60_000, 200) * 1000,
        (int) section.wholeNumber("min", 1, 100_000).orElse(5),
        (int) section.wholeNumber("max", 1, 100_000).orElse(50),
        (int) section.wholeNumber("initial", 1, 100_000).orElse(10));
    long max = section.wholeNumber("max", 1, 100_000).orElse(read.max());
    section.refuseUnknown();
    if (max < read.max()) {
      section.error(
          "adaptive_bounds",
          "max",
          "%d, below min (expected: at least %d)".formatted(max, read.min()));
    }
    return read;
  }

  private static Sending sending(Section section) {
    Set<Integer> codes =
        section
            .texts("jsonRpcCodes", ERROR_CODE.asMatchPredicate(), "a code such as -32000")
            .stream()
            .map(code -> Integer.valueOf(code.text()))
            .collect(Collectors.toSet());
    if (codes.size() > MAX_ERROR_CODES) {
      section.error(
          "too_many_codes",
          "jsonRpcCodes",
          "%d (expected: at most %d)".formatted(codes.size(), MAX_ERROR_CODES));
    }
    return new Sending(
        (int) section.wholeNumber("connectTimeoutMs", 1, 60_000).orElse(1000),
        (int) section.wholeNumber("timeoutMs", 1, 110_000).orElse(30_000),
        section.wholeNumber("maxBodyBytes", 0, 1L << 40).orElse(10L << 20),
        section.flag("honoursIdempotencyKeys"),
        section.flag("jsonRpc") || !codes.isEmpty(),
        codes,
        RepeatReader.repeat(section));
  }

  // Warns of bounds that contradict each other, so that one of them has no effect.
  private static void lint(Section section, Providers read) {
    boolean isMeant = section.has("maxInflight");
    if (isMeant && read.bounds().maxInflight() >= 2 * read.slots() && hasIntervals(read)) {
      section.warning(
          "inflight_above_keys",
          "maxInflight",
          "%d under way for %d key slots with an interval (usual: below %d)"
              .formatted(read.bounds().maxInflight(), read.slots(), 2 * read.slots()));
    }
    if (section.has("maxQueue") && read.bounds().maxQueue() > 6 * read.bounds().maxInflight()) {
      section.warning(
          "queue_above_inflight",
          "maxQueue",
          "%d waiting for %d under way (usual: two to six times as many)"
              .formatted(read.bounds().maxQueue(), read.bounds().maxInflight()));
    }
  }

  private static boolean hasIntervals(Providers read) {
    return read.all().stream().allMatch(provider -> provider.intervalMicros() > 0);
  }

  private static List<Provider> providers(Section section) {
    List<Provider> providers = new ArrayList<>();
    Set<String> names = new HashSet<>();
    List<Section> all = section.sections("providers");
    if (all.size() > MAX_PROVIDERS) {
      section.error(
          "too_many_providers",
          "providers",
          "%d (expected: at most %d)".formatted(all.size(), MAX_PROVIDERS));
    }
    for (Section one : all) {
      Optional<String> name =
          one.requiredText("name", text -> text.matches(Names.ID_PATTERN), Names.ID_PATTERN);
      boolean isEnabled = one.isAbsent("enabled") || one.flag("enabled");
      Optional<Provider> provider = provider(one, name.orElse("?"));
      if (name.isPresent() && !names.add(name.get())) {
        one.error("name_repeated", "name", "'%s' is a provider already".formatted(name.get()));
      } else if (isEnabled) {
        provider.ifPresent(providers::add);
      }
    }
    return providers;
  }

  private static Optional<Provider> provider(Section section, String name) {
    Optional<String> url = section.requiredSecretText("url", PolicyReader::isBaseUrl, URL);
    int tier = (int) section.wholeNumber("tier", 0, 9).orElse(0);
    int weight = (int) section.wholeNumber("weight", 1, 1000).orElse(1);
    int maxInflight = (int) section.wholeNumber("maxInflight", 1, 100_000).orElse(0);
    Set<String> groups = section.texts("groups", Names::isName, Names.NAME_PATTERN).stream()
        .map(Section.Item::text)
        .collect(Collectors.toSet());
    List<KeySlot> keys = keys(section);
    long interval = millis(section, "keyInterval", 0, 3_600_000, 0) * 1000;
    section.refuseUnknown();
    return url.map(text ->
        new Provider(name, URI.create(text), tier, weight, maxInflight, groups, keys, interval));
  }

  private static List<KeySlot> keys(Section provider) {
    List<KeySlot> keys = new ArrayList<>();
    Set<String> names = new HashSet<>();
    List<Section> all = provider.sections("keys");
    if (all.size() > MAX_KEYS) {
      provider.error(
          "too_many_keys", "keys", "%d (expected: at most %d)".formatted(all.size(), MAX_KEYS));
    }
    for (Section one : all) {
      Optional<String> name =
          one.requiredText("name", text -> text.matches(Names.ID_PATTERN), Names.ID_PATTERN);
      Optional<String> variable = one.requiredText(
          "variable", VARIABLE.asMatchPredicate(), "the name of an environment variable");
      String header = one.text(
              "header", OperationsReader.HEADER.asMatchPredicate(), "the name of a header")
          .orElse("Authorization");
      String prefix = one.text("prefix", PREFIX.asMatchPredicate(), "up to 32 characters")
          .orElse(header.equalsIgnoreCase("Authorization") ? "Bearer " : "");
      one.refuseUnknown();
      if (name.isPresent() && !names.add(name.get())) {
        one.error("name_repeated", "name", "'%s' is a key already".formatted(name.get()));
      } else if (name.isPresent() && variable.isPresent()) {
        keys.add(new KeySlot(name.get(), header, prefix, variable.get()));
      }
    }
    return keys;
  }

  private static BreakerRule breaker(Section section) {
    BreakerRule usual = BreakerRule.DEFAULT;
    BreakerRule read = new BreakerRule(
        (int) section.wholeNumber("failures", 1, 100).orElse(usual.failurePercent()),
        (int) section.wholeNumber("calls", 1, 10_000).orElse(usual.minCalls()),
        millis(section, "window", 1000, 600_000, usual.windowMillis()),
        millis(section, "open", 100, 600_000, usual.openMillis()));
    section.refuseUnknown();
    return read;
  }

  static long millis(Section section, String field, long min, long max, long usual) {
    return section
        .duration(field, Duration.ofMillis(min), Duration.ofMillis(max))
        .map(Duration::toMillis)
        .orElse(usual);
  }

  private static Map<String, Boolean> selections() {
    Map<String, Boolean> words = new LinkedHashMap<>();
    words.put("tiers", true);
    words.put("weights", false);
    return words;
  }
}
