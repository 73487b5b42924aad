package io.weir.providers.rule;

import io.weir.core.policy.read.BaseUrl;
import io.weir.core.policy.read.RequestParts;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Section.Item;
import io.weir.core.policy.schema.Table;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the providers of an upstream, and their keys. */
final class ProviderReader {
  private static final String AUTHORIZATION = "Authorization";
  private static final String NO_REQUESTS = "; enabled: false for a provider that gets no requests";

  private static final Field<String> KEY_NAME =
      Field.id("name", "unique among the keys of the provider").required();
  private static final Field<String> VARIABLE = Field.text(
          "variable",
          Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}"),
          "the name of an environment variable",
          "the environment variable of each node that has the secret; a node without it does not use the key")
      .required();
  private static final Field<String> HEADER = Field.text(
          "header", RequestParts.HEADER, "the name of a header", "the header with the secret")
      .or(AUTHORIZATION);
  private static final Field<String> PREFIX = Field.text(
      "prefix",
      Pattern.compile("[\\x20-\\x7e]{0,32}"),
      "up to 32 characters",
      "the text before the secret; default: `\"Bearer \"` in `Authorization`, else nothing");
  private static final Table KEY = Table.of("key", KEY_NAME, VARIABLE, HEADER, PREFIX);

  private static final Field<String> NAME =
      Field.id("name", "unique among the providers of the upstream").required();
  private static final Field<URI> URL = BaseUrl.field("where it is; without a path");
  private static final Field<Boolean> ENABLED = Field.flag(
          "enabled", "`false`: it gets no new requests, and those under way end as usual")
      .or(true);
  private static final Field<Long> TIER = Field.number(
          "tier", 0, 9, "the lowest tier with a free key slot gets the request")
      .or(0L);
  private static final Field<Long> WEIGHT = Field.hinted(
          "weight",
          1,
          1000,
          NO_REQUESTS,
          "its share beside others of its tier that have a free slot")
      .or(1L);
  private static final Field<Long> MAX_INFLIGHT = Field.hinted(
      "maxInflight",
      1,
      100_000,
      NO_REQUESTS,
      "requests under way to it; default: three quarters of the upstream's, unless it is the only one, so that a slow"
          + " provider leaves room for the other ones");
  private static final Field<List<Item>> GROUPS =
      Field.names("groups", "it serves only requests of such a [group](#groups); none for all");
  private static final Field<List<Section>> KEYS = Field.sections(
          "keys", KEY, "its keys; none for a provider without keys")
      .atMost(100, "too_many_keys");
  private static final Field<Long> KEY_INTERVAL = Field.duration(
          "keyInterval",
          Duration.ZERO,
          Duration.ofHours(1),
          "the time between two uses of one key, on all nodes together")
      .or(0L);

  /** The providers of an upstream. */
  static final Field<List<Section>> PROVIDERS = Field.sections(
          "providers",
          Table.of(
              "provider",
              NAME,
              URL,
              ENABLED,
              TIER,
              WEIGHT,
              MAX_INFLIGHT,
              GROUPS,
              KEYS,
              KEY_INTERVAL),
          "servers that serve the same; with at most 200 keys in all")
      .atMost(50, "too_many_providers");

  private ProviderReader() {}

  static List<Provider> read(Section upstream) {
    List<Provider> providers = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Section one : upstream.get(PROVIDERS)) {
      Optional<String> name = one.find(NAME);
      boolean isEnabled = one.get(ENABLED);
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
    Optional<URI> url = section.find(URL);
    int tier = section.count(TIER);
    int weight = section.count(WEIGHT);
    int maxInflight = section.find(MAX_INFLIGHT).orElse(0L).intValue();
    Set<String> groups = Item.texts(section.get(GROUPS));
    List<KeySlot> keys = keys(section);
    long interval = section.micros(KEY_INTERVAL);
    return url.map(uri -> new Provider(
        name,
        uri,
        new Provider.Rank(tier, weight),
        new Provider.Load(maxInflight, interval),
        groups,
        keys));
  }

  private static List<KeySlot> keys(Section provider) {
    List<KeySlot> keys = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Section one : provider.get(KEYS)) {
      Optional<String> name = one.find(KEY_NAME);
      Optional<String> variable = one.find(VARIABLE);
      String header = one.get(HEADER);
      String prefix =
          one.find(PREFIX).orElse(header.equalsIgnoreCase(AUTHORIZATION) ? "Bearer " : "");
      if (name.isPresent() && !names.add(name.get())) {
        one.error("name_repeated", "name", "'%s' is a key already".formatted(name.get()));
      } else if (name.isPresent() && variable.isPresent()) {
        keys.add(new KeySlot(name.get(), header, prefix, variable.get()));
      }
    }
    return keys;
  }
}
