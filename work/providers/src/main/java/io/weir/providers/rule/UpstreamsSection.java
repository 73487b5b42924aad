package io.weir.providers.rule;

import io.weir.core.policy.Destinations;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.read.UpstreamFields;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Section.Item;
import io.weir.core.policy.schema.Table;
import io.weir.core.policy.schema.Words;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the upstreams made of providers. */
public final class UpstreamsSection extends PolicySection<Destinations> {
  private static final int MAX_SLOTS = 200;

  private static final Pattern CODE = Pattern.compile("-?[0-9]{1,9}");
  private static final String CODE_EXPECTED = "a code such as -32000";

  private static final Field<Boolean> SELECTION = Field.choice(
          "selection",
          Words.of("tiers", true, "weights", false),
          "`tiers`: the lowest tier with a free key slot gets the request; `weights`: all are one tier")
      .or(true);
  private static final Field<Boolean> JSON_RPC = Field.flag(
      "jsonRpc",
      "whether JSON-RPC errors −32005, −32016, 10007, and −32000 with a message about a limit, in JSON answers of 200 with"
          + " up to 4 KiB count as 429; answers are requested without compression");
  private static final Field<List<Item>> JSON_RPC_CODES = Field.texts(
          "jsonRpcCodes",
          CODE,
          CODE_EXPECTED,
          "codes that count as 429, too, whatever their message, such as `[-32029]`; they also work without `jsonRpc`")
      .atMost(20, "too_many_codes");
  private static final Field<List<Item>> JSON_RPC_FAILURES = Field.texts(
          "jsonRpcFailures",
          CODE,
          CODE_EXPECTED,
          "codes that count as a failure of the provider, as 502 does, such as `[-32603]`; they also work without `jsonRpc`."
              + " A batch of answers is a failure if each of them has such a code")
      .atMost(20, "too_many_codes");
  private static final Table UPSTREAM = Table.of(
          "upstreamOfProviders", ProviderReader.PROVIDERS, SELECTION)
      .with(BoundsReader.BOUNDS)
      .with(UpstreamFields.ALL)
      .with(List.of(RetryReader.RETRY))
      .with(RetryReader.REPEAT)
      .with(List.of(
          HealthReader.HEALTH, BoundsReader.BREAKER, JSON_RPC, JSON_RPC_CODES, JSON_RPC_FAILURES));
  private static final Field<Map<String, Section>> UPSTREAMS = Field.byId(
          "upstreams", UPSTREAM, "upstreams that are made of [providers](#providers)")
      .atMost(50, "too_many_upstreams");

  public UpstreamsSection() {
    super(Parent.POLICY, Destinations.PART, UPSTREAMS);
  }

  @Override
  public Optional<Destinations> read(Section root) {
    Map<String, Providers> upstreams = new LinkedHashMap<>();
    root.get(UPSTREAMS)
        .forEach((name, section) ->
            upstream(name, section).ifPresent(read -> upstreams.put(name, read)));
    return Optional.of(new Upstreams(upstreams));
  }

  @Override
  public void check(Section root, Policy policy) {
    Map<String, Providers> upstreams = Upstreams.of(policy);
    root.get(UPSTREAMS)
        .forEach((name, section) -> Optional.ofNullable(upstreams.get(name))
            .ifPresent(upstream -> RetryLint.upstream(section, upstream, policy)));
  }

  private Optional<Providers> upstream(String name, Section section) {
    List<Provider> providers = ProviderReader.read(section);
    Sending sending = sending(section);
    Providers read = new Providers(
        name,
        providers,
        section.get(SELECTION),
        BoundsReader.bounds(section),
        sending,
        new Providers.Resilience(
            RetryReader.retry(section, sending.timeoutMillis()),
            BoundsReader.breaker(section),
            HealthReader.read(section)));
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

  private static Sending sending(Section section) {
    return new Sending(
        section.count(UpstreamFields.CONNECT_TIMEOUT),
        section.count(UpstreamFields.TIMEOUT),
        section.get(UpstreamFields.MAX_BODY_BYTES),
        section.get(UpstreamFields.HONOURS_KEYS),
        jsonRpc(section),
        RetryReader.repeat(section));
  }

  private static JsonRpcRule jsonRpc(Section section) {
    Set<Integer> limits = codes(section.get(JSON_RPC_CODES));
    Set<Integer> failures = codes(section.get(JSON_RPC_FAILURES));
    for (Integer code : failures) {
      if (limits.contains(code)) {
        section.error(
            "code_repeated", "jsonRpcFailures", "%d is in jsonRpcCodes, too".formatted(code));
      }
    }
    boolean isRead = section.get(JSON_RPC) || !limits.isEmpty() || !failures.isEmpty();
    return new JsonRpcRule(isRead, limits, failures);
  }

  private static Set<Integer> codes(List<Item> codes) {
    return codes.stream().map(code -> Integer.valueOf(code.text())).collect(Collectors.toSet());
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
    return read.all().stream().allMatch(provider -> provider.load().intervalMicros() > 0);
  }
}
